import { expect, it } from "vitest";
import { YoungBuffers } from "../../../cmd/serve/heap.ts";

const mib = 1_048_576;

/** Checks once for each number of MiB; `left` is what a collection leaves. */
function check(sizes: readonly number[], left: number) {
  let bytes = 0;
  let collections = 0;
  const buffers = new YoungBuffers(
    () => bytes,
    () => {
      collections++;
      bytes = left * mib;
    },
  );
  const seen = sizes.map((size) => {
    bytes = size * mib;
    const delayMs = buffers.check();
    return { delayMs, collections };
  });
  return { seen: seen.map(({ delayMs }) => delayMs), collected: seen.map((one) => one.collections) };
}

it("collects once the buffers have grown by 8 MiB since they were fewest", () => {
  expect(check([40, 30, 37, 38, 39, 31], 30).collected).toEqual([0, 0, 0, 1, 2, 2]);
});

it("does not collect again for what a collection has left", () => {
  expect(check([10, 40, 44, 47, 48], 40).collected).toEqual([0, 1, 1, 1, 2]);
});

it("checks often while the buffers change, and seldom while they do not", () => {
  expect(check([10, 17, 17, 17, 17, 17, 17, 17, 15], 0).seen).toEqual([
    10, 10, 20, 40, 80, 160, 320, 320, 10,
  ]);
});
