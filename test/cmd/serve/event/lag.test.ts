import { expect, it } from "vitest";
import type { LoadProgress } from "../../../../cmd/serve/event/backend.ts";
import { readEventLag } from "../../../../cmd/serve/event/lag.ts";

function progressOf(waitingBytes: number, recordBytes: number | undefined): LoadProgress {
  return {
    loader: { status: async () => ({ waitingBytes, oldestMs: undefined }) },
    lagMs: () => 2_500,
    recordBytes: () => recordBytes,
  };
}

it.each([
  [0, 100, { waitingBytes: 0, records: 0, lagMs: 0 }],
  [1_040, 100, { waitingBytes: 1_040, records: 10, lagMs: 2_500 }],
  [30, 100, { waitingBytes: 30, records: 1, lagMs: 2_500 }],
  [30, undefined, { waitingBytes: 30, records: undefined, lagMs: 2_500 }],
])("%i bytes of records of %j bytes", async (waitingBytes, recordBytes, lag) => {
  expect(await readEventLag(progressOf(waitingBytes, recordBytes))).toEqual(lag);
});

it("is unknown before anything is open, and while the spool cannot be read", async () => {
  expect(await readEventLag(undefined)).toBeUndefined();
  const loader = { status: () => Promise.reject(new Error("away")) };
  expect(await readEventLag({ ...progressOf(1, 1), loader })).toBeUndefined();
});
