import { expect, it } from "vitest";
import { freeMemory, freeOwnMemory, freeWhole } from "../../../base/memory/free.ts";

it("frees a large buffer at once, and no shared one", () => {
  const large = Buffer.allocUnsafeSlow(1_048_576);
  const pooled = Buffer.from("some bytes");
  freeMemory(large);
  freeMemory(pooled);
  freeMemory(new Uint8Array(new SharedArrayBuffer(1_048_576)));
  expect([large.length, large.buffer.detached, pooled.toString()]).toEqual([0, true, "some bytes"]);
});

it("frees many bytes that fill their buffer, and no others", () => {
  const [whole, other] = [Buffer.allocUnsafeSlow(20_000), Buffer.allocUnsafeSlow(20_000)];
  const small = Buffer.allocUnsafeSlow(16_383);
  freeWhole(whole);
  freeWhole(other.subarray(1));
  freeWhole(small);
  freeWhole(new Uint8Array(new SharedArrayBuffer(20_000)));
  expect([whole.length, other.length, small.length]).toEqual([0, 20_000, 16_383]);
});

it("frees a small buffer that is not shared", () => {
  const own = Buffer.allocUnsafeSlow(100);
  freeOwnMemory(own.subarray(10, 20));
  expect([own.length, own.buffer.detached]).toEqual([0, true]);
});
