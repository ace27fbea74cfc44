import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { inflateGzip } from "../../../../services/event/ingest/inflate.ts";

const maxBytes = 4 * 1_048_576;
const zeros = (length: number) => Buffer.alloc(length);

it.each<[string, readonly Buffer[]]>([
  ["nothing", [zeros(0)]],
  ["a few bytes", [Buffer.from("[]")]],
  ["one piece exactly", [zeros(1_048_575)]],
  ["several pieces", [zeros(maxBytes)]],
  ["bytes that don't get fewer", [randomBytes(100_000)]],
  ["a few bytes that stand for many", [zeros(maxBytes - 1)]],
  ["a few bytes whose length is not that of all", [zeros(300_000), Buffer.from("[]")]],
  ["members of which the last one tells little", [randomBytes(50_000), zeros(2_000_000), Buffer.from("[]")]],
])("gzip of %s", async (_what, members) => {
  const packed = Buffer.concat(members.map((member) => gzipSync(member)));
  expect((await inflateGzip(packed, maxBytes)).equals(Buffer.concat(members))).toBe(true);
});

it.each([
  ["is longer than it may be", gzipSync(zeros(maxBytes + 1)), `longer than ${maxBytes} bytes`],
  ["is cut off", gzipSync(zeros(10)).subarray(0, -9), "not gzip"],
  ["has a length that is no such", Buffer.from([0x1f, 0x8b, 0xff, 0xff, 0xff, 0xff]), "not gzip"],
  ["is two bytes", Buffer.from([0x1f, 0x8b]), "not gzip"],
])("refuses what %s", async (_what, packed, message) => {
  await expect(inflateGzip(packed, maxBytes)).rejects.toThrow(message);
});
