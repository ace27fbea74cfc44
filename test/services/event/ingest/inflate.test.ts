import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { inflateGzip } from "../../../../services/event/ingest/inflate.ts";

const maxBytes = 4 * 1_048_576;
const zeros = (length: number) => Buffer.alloc(length);

it("inflates gzip", async () => {
  expect((await inflateGzip(gzipSync("[]"), maxBytes)).toString()).toBe("[]");
});

it.each([
  ["is longer than it may be", gzipSync(zeros(maxBytes + 1)), `longer than ${maxBytes} bytes`],
  ["is cut off", gzipSync(zeros(10)).subarray(0, -9), "not gzip"],
  ["has a length that is no such", Buffer.from([0x1f, 0x8b, 0xff, 0xff, 0xff, 0xff]), "not gzip"],
  ["is two bytes", Buffer.from([0x1f, 0x8b]), "not gzip"],
])("refuses what %s", async (_what, packed, message) => {
  await expect(inflateGzip(packed, maxBytes)).rejects.toThrow(message);
});
