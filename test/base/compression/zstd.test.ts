import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { compressLarge, decompress } from "../../../base/compression/zstd.ts";

describe("large bytes", () => {
  it.each([65_536, 200_000, 3_000_000])("of %j with repetitions come back from far fewer", (size) => {
    const bytes = Buffer.alloc(size, '{"push_id":"a"},');
    const compressed = compressLarge(bytes)!;
    expect(compressed.length).toBeLessThan(size / 10);
    expect(Buffer.compare(decompress(compressed, size), bytes)).toBe(0);
  });

  it.each([
    ["short bytes", Buffer.alloc(65_535)],
    ["random bytes", randomBytes(100_000)],
    ["mostly random bytes", Buffer.concat([randomBytes(80_000), Buffer.alloc(20_000)])],
  ])("do not include %s", (_name, bytes) => {
    expect(compressLarge(bytes)).toBeUndefined();
  });
});

describe("damaged bytes", () => {
  const compressed = compressLarge(Buffer.alloc(70_000, "abc"))!;
  it.each([
    ["no compressed bytes", Buffer.from("[{}]"), 70_000],
    ["cut bytes", compressed.subarray(0, -4), 70_000],
    ["a smaller size", compressed, 69_999],
    ["no size", compressed, 0],
    ["a larger size", compressed, 70_001],
  ])("are %s", (_name, bytes, size) => {
    expect(() => decompress(bytes, size)).toThrow(RangeError);
  });
});
