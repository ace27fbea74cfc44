import { expect, it } from "vitest";
import { freeMemory } from "../../../base/memory/free.ts";

it("frees a large buffer at once, and no shared one", () => {
  const large = Buffer.allocUnsafeSlow(1_048_576);
  const pooled = Buffer.from("some bytes");
  freeMemory(large);
  freeMemory(pooled);
  freeMemory(new Uint8Array(new SharedArrayBuffer(1_048_576)));
  expect([large.length, large.buffer.detached, pooled.toString()]).toEqual([0, true, "some bytes"]);
});
