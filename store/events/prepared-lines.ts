import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { setImmediate } from "node:timers/promises";

/** Bytes whose lines take a few milliseconds. */
const chunkBytes = 128 * 1_024;

/** Reads the lines of a file in chunks, without line ends and empty lines. */
export async function* linesOf(file: string): AsyncGenerator<readonly string[], void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop()!;
    yield lines.filter((line) => line !== "");
    // Chunks which are already in memory would arrive without a pause.
    await setImmediate();
  }
  if (rest !== "") yield [rest];
}
