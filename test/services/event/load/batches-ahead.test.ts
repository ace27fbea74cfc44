import { expect, it } from "vitest";
import { prepareAhead } from "../../../../services/event/load/batches-ahead.ts";
import type { WrittenBatch } from "../../../../services/event/load/prepared.ts";
import type { SpoolPlace } from "../../../../store/events/events.ts";

interface Begun extends PromiseWithResolvers<WrittenBatch | undefined> {
  readonly from: SpoolPlace;
  readonly hasEarlier: () => boolean;
}

/** Batches of which each ends where the test says. */
function openAhead() {
  const begun: Begun[] = [];
  const ahead = prepareAhead({ number: 1, offset: 0 }, (from, hasEarlier) => {
    const one = { from, hasEarlier, ...Promise.withResolvers<WrittenBatch | undefined>() };
    begun.push(one);
    return one.promise;
  });
  const offsets = () => begun.map(({ from }) => from.offset);
  /** Ends the preparation of a batch. */
  const prepared = async (at: number, toOffset: number) => {
    const { from, resolve, promise } = begun[at]!;
    resolve({
      batch: { from, to: { number: 1, offset: toOffset }, projects: [] },
    } as unknown as WrittenBatch);
    await promise;
  };
  return { ahead, begun, offsets, prepared };
}

it("prepares one batch after the other, two before they are taken", async () => {
  const { ahead, begun, offsets, prepared } = openAhead();
  expect(offsets()).toEqual([0]);
  await prepared(0, 100);
  expect(offsets()).toEqual([0, 100]);
  await prepared(1, 200);
  expect(offsets()).toEqual([0, 100]);
  expect((await ahead.take())!.batch.to.offset).toBe(100);
  expect(offsets()).toEqual([0, 100, 200]);
  expect(begun.map(({ hasEarlier }) => hasEarlier())).toEqual([false, false, true]);
  expect((await ahead.take())!.batch.to.offset).toBe(200);
  expect(begun[2]!.hasEarlier()).toBe(false);
  await prepared(2, 300);
  expect(offsets()).toEqual([0, 100, 200, 300]);
});

it("gives batches before one that cannot be prepared, then its error, and begins no other", async () => {
  const { ahead, begun, offsets, prepared } = openAhead();
  await prepared(0, 100);
  begun[1]!.reject(new Error("the disk is full"));
  expect((await ahead.take())!.batch.to.offset).toBe(100);
  await expect(ahead.take()).rejects.toThrow("the disk is full");
  await ahead.ended();
  expect(offsets()).toEqual([0, 100]);
});

it("ends when the batches in preparation have ended", async () => {
  const { ahead, begun, offsets, prepared } = openAhead();
  await prepared(0, 100);
  const ended = ahead.ended();
  begun[1]!.resolve(undefined);
  await ended;
  expect(offsets()).toEqual([0, 100]);
  expect(await ahead.take()).toBeUndefined();
});
