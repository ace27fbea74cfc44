import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { guardsOf, writeForeign } from "../../../cmd/terminal/terminal.ts";

const steering = "a\u0000\u0007\u001b[2J\u009b1m\u007f\u202e\u2028b\tc\nd\re\n";
const shown = "a\\u0000\\u0007\\u001b[2J\\u009b1m\\u007f\\u202e\\u2028b\tc\nd\\u000de\n";

const outputOf = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });

describe("text of strangers", () => {
  it.each([
    ["a terminal", true, shown],
    ["a file or a pipe", false, steering],
  ])("is written to %s so that nothing steers it there", async (_name, isTTY, expected) => {
    const output = outputOf(isTTY);
    writeForeign(output, steering);
    output.end();
    expect(await text(output)).toBe(expected);
  });

  it.each([
    ["a terminal", true, `é${shown}😀`],
    ["a file or a pipe", false, `é${steering}😀`],
  ])("is streamed to %s in the same way, wherever its bytes are cut", async (_name, isTTY, expected) => {
    const output = outputOf(isTTY);
    const pieces = [...Buffer.from(`é${steering}😀`)].map((byte) => Buffer.from([byte]));
    const written = text(output);
    await pipeline([Readable.from(pieces), ...guardsOf(output), output]);
    expect(await written).toBe(expected);
  });
});
