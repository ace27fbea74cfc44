import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { InflatedTooLongError, inflate, inflateShort } from "../../../base/compression/inflate.ts";
import { freeOwnMemory } from "../../../base/memory/free.ts";

const maxBytes = 4 * 1_048_576;
const quickly = { [constants.BROTLI_PARAM_QUALITY]: 5 };
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
  const pooled = [Buffer.from("before")];
  const inflated = await inflate(packed, "gzip", maxBytes);
  pooled.push(Buffer.from("after"));
  expect(inflated.equals(Buffer.concat(members))).toBe(true);
  // It has a buffer of its own.
  freeOwnMemory(inflated);
  expect(pooled.map(String)).toEqual(["before", "after"]);
});

it.each([
  ["gzip", gzipSync(zeros(maxBytes + 1))],
  ["gzip", gzipSync(zeros(100_000))],
  ["br", brotliCompressSync(zeros(maxBytes + 1))],
] as const)("%s is refused beyond the limit", async (compression, packed) => {
  const limit = Math.min(maxBytes, packed.length * 10);
  await expect(inflate(packed, compression, limit)).rejects.toThrow(InflatedTooLongError);
});

it("brotli is inflated to the limit exactly", async () => {
  const packed = brotliCompressSync(zeros(maxBytes));
  expect((await inflate(packed, "br", maxBytes)).equals(zeros(maxBytes))).toBe(true);
});

it.each([
  ["gzip", "that is cut off", gzipSync(zeros(10)).subarray(0, -9)],
  ["gzip", "of two bytes", Buffer.from([0x1f, 0x8b])],
  ["br", "that is cut off", brotliCompressSync(randomBytes(100)).subarray(0, -9)],
] as const)("%s %s is malformed", async (compression, _what, packed) => {
  const outcome = inflate(packed, compression, maxBytes);
  await expect(outcome).rejects.toThrow();
  await expect(outcome).rejects.not.toBeInstanceOf(InflatedTooLongError);
});

it.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
] as const)("%s of few bytes that stand for few is inflated at once", (compression, pack) => {
  expect(inflateShort(pack(zeros(65_536)), compression, maxBytes)).toEqual(zeros(65_536));
  expect(inflateShort(pack(zeros(65_537)), compression, maxBytes)).toBeUndefined();
  expect(inflateShort(pack(randomBytes(20_000)), compression, maxBytes)).toBeUndefined();
  expect(inflateShort(pack(zeros(100)).subarray(0, -2), compression, maxBytes)).toBeUndefined();
  expect(() => inflateShort(pack(zeros(1_000)), compression, 999)).toThrow(InflatedTooLongError);
});

it.each(
  [0, 1, 9, 11].flatMap((quality) => [10, 16, 17, 18, 22, 24].map((window) => [quality, window] as const)),
)(
  "brotli of quality %i with a window of 2^%i is inflated at once or later, never refused",
  (quality, window) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: window };
    for (const length of [0, 1, 1_000, 65_536]) {
      const inflated = inflateShort(brotliCompressSync(zeros(length), { params }), "br", 65_536);
      expect(inflated ?? zeros(length)).toEqual(zeros(length));
      // Compressors of low quality do not mark the last block.
      if (quality > 1 && length > 1) expect(inflated).toBeDefined();
    }
  },
);

it("brotli that says at its beginning that it is too long is refused without inflating it", () => {
  const packed = brotliCompressSync(Buffer.from("&a".repeat(1_048_576)), { params: quickly });
  expect(() => inflateShort(packed.subarray(0, 6), "br", 65_536)).toThrow(InflatedTooLongError);
  expect(inflateShort(packed.subarray(0, 6), "br", maxBytes)).toBeUndefined();
});
