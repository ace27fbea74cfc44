import { expect, it } from "vitest";
import { freeMemory, freeOwnMemory } from "../../../base/memory/free.ts";

it("frees a large buffer at once, and no shared one", () => {
  const large = Buffer.allocUnsafeSlow(1_048_576);
  const pooled = Buffer.from("some bytes");
  freeMemory(large);
  freeMemory(pooled);
  freeMemory(new Uint8Array(new SharedArrayBuffer(1_048_576)));
  expect([large.length, large.buffer.detached, pooled.toString()]).toEqual([0, true, "some bytes"]);
});

it("frees a small buffer that is not shared", () => {
  const own = Buffer.allocUnsafeSlow(100);
  freeOwnMemory(own.subarray(10, 20));
  expect([own.length, own.buffer.detached]).toEqual([0, true]);
});
