import { expect, it } from "vitest";
import { RingWatch, WatchRing } from "../../../base/async/watch-ring.ts";

const { signal } = new AbortController();

function watchOf(ring: WatchRing<number>, changes: Partial<{ maxAtOnce: number; close: () => void }> = {}) {
  return new RingWatch(ring, { matches: (item) => item % 2 === 0, maxAtOnce: 100, close() {}, ...changes });
}

it("gives what matches and was added after the watch began, in order", async () => {
  const ring = new WatchRing<number>({ maxItems: 10, maxBytes: 1_000 });
  ring.add(0, 1);
  using watch = watchOf(ring);
  for (const item of [1, 2, 3, 4]) ring.add(item, 1);
  expect(await watch.next(signal)).toEqual({ items: [2, 4], skipped: 0 });
});

it("gives as many items as a watch takes at once", async () => {
  const ring = new WatchRing<number>({ maxItems: 10, maxBytes: 1_000 });
  using watch = watchOf(ring, { maxAtOnce: 2 });
  for (const item of [2, 4, 6]) ring.add(item, 1);
  expect(await watch.next(signal)).toEqual({ items: [2, 4], skipped: 0 });
  expect(await watch.next(signal)).toEqual({ items: [6], skipped: 0 });
});

it.each([
  ["items", { maxItems: 3, maxBytes: 1_000 }],
  ["bytes", { maxItems: 100, maxBytes: 30 }],
])("counts what a slow watch skips beyond the number of %s", async (_name, limits) => {
  const ring = new WatchRing<number>(limits);
  using slow = watchOf(ring);
  using quick = watchOf(ring);
  for (let item = 0; item < 20; item++) {
    ring.add(item * 2, 10);
    expect(await quick.next(signal)).toEqual({ items: [item * 2], skipped: 0 });
  }
  expect(await slow.next(signal)).toEqual({ items: [34, 36, 38], skipped: 17 });
});

it("counts what was left out", async () => {
  const ring = new WatchRing<number>({ maxItems: 10, maxBytes: 1_000 });
  using watch = watchOf(ring);
  ring.add(2, 1);
  ring.skip(5);
  ring.add(4, 1);
  expect(await watch.next(signal)).toEqual({ items: [2, 4], skipped: 5 });
});

it("waits for the next item, and ends with the signal", async () => {
  const ring = new WatchRing<number>({ maxItems: 10, maxBytes: 1_000 });
  const end = new AbortController();
  let closed = 0;
  const watch = watchOf(ring, { close: () => closed++ });
  const next = watch.next(end.signal);
  ring.add(8, 1);
  watch.wake();
  expect(await next).toEqual({ items: [8], skipped: 0 });
  const last = watch.next(end.signal);
  end.abort(new Error("over"));
  await expect(last).rejects.toThrow("over");
  watch[Symbol.dispose]();
  expect(closed).toBe(1);
});
