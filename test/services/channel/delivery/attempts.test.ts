import { setImmediate } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { SharedRate } from "../../../../base/async/shared-rate.ts";
import type { RateSlot } from "../../../../base/async/window-pacer.ts";
import { AttemptMarker } from "../../../../services/channel/delivery/attempt-marker.ts";
import { Attempts } from "../../../../services/channel/delivery/attempts.ts";
import type { HeldBatch } from "../../../../services/channel/delivery/leases.ts";
import type { RunPlan, RunPlans } from "../../../../services/channel/delivery/run-plans.ts";
import type { LeasedBatch, Outcome } from "../../../../store/channels/channels.ts";
import { FakeClock } from "../../../base/async/fake-clock.ts";

const maxInFlight = 4;
const succeeded: Outcome = { kind: "succeeded", failedItems: [], warnings: 0, segments: [] };

const heldBatch = (token: string): HeldBatch => ({
  batch: { token, runId: "r" } as LeasedBatch,
  ending: new AbortController(),
});

interface Options {
  /** Tokens whose leases are lost when they are marked. */
  readonly lost?: readonly string[];
  /** Takes a slot of the rate. Default: there is no limit. */
  readonly take?: SharedRate["take"];
  readonly failed?: (error: unknown) => void;
}

function open({ lost = [], take, failed = (error) => expect.fail(String(error)) }: Options = {}) {
  const clock = new FakeClock();
  const marks: (readonly string[])[] = [];
  const open: { readonly token: string; readonly end: () => void }[] = [];
  const settled: (readonly [token: string, outcome: Outcome["kind"] | undefined])[] = [];
  const stopping = new AbortController();
  const run = { isUnderWay: true, isReadable: true };
  const marker = new AttemptMarker({
    beginBatches: async (tokens) => {
      marks.push(tokens);
      return tokens.filter((token) => lost.includes(token));
    },
  });
  const plan = { rateLimit: take === undefined ? -1 : 5 } as RunPlan;
  const runs = {
    current: () => (run.isUnderWay && run.isReadable ? plan : undefined),
    isUnderWay: async () => {
      await setImmediate();
      if (!run.isReadable) throw new Error("run cannot be read");
      return run.isUnderWay;
    },
  } as unknown as RunPlans;
  const rate = { take } as SharedRate;
  const observer = { failed: (_what: string, error: unknown) => failed(error) };
  const options = { clock, marker, observer, runs, rate, maxInFlight, stopping: stopping.signal };
  const attempts = new Attempts(options, {
    send({ batch: { token } }) {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      open.push({ token, end: () => resolve(succeeded) });
      return promise;
    },
    settle: ({ batch: { token } }, outcome) => settled.push([token, outcome?.kind]),
  });
  return { clock, attempts, marks, open, settled, stopping, run };
}

const tokens = Array.from({ length: 400 }, (_, i) => `b${i}`);

test("attempts of a receiver that does not respond are not marked before their calls", async () => {
  const { attempts, marks, open: calls } = open();
  attempts.add(tokens.map(heldBatch));
  await vi.waitFor(() => expect(calls).toHaveLength(maxInFlight));
  expect(marks.flat()).toEqual(tokens.slice(0, maxInFlight));
});

test("attempts are marked in groups, in their order, at most as many ahead as may be in flight", async () => {
  const { clock, attempts, marks, open: calls, settled } = open();
  attempts.add(tokens.map(heldBatch));
  let ended = 0;
  while (settled.length < tokens.length) {
    await vi.waitFor(() => expect(calls.length).toBeGreaterThan(ended));
    expect(calls.length - ended).toBeLessThanOrEqual(maxInFlight);
    expect(marks.flat().length - calls.length).toBeLessThanOrEqual(maxInFlight);
    calls[ended++]!.end();
    await clock.advance(1);
  }
  expect(marks.flat()).toEqual(tokens);
  expect(calls.map(({ token }) => token)).toEqual(tokens);
  expect(settled).toEqual(tokens.map((token) => [token, "succeeded"]));
  expect(marks.length).toBeLessThan(tokens.length / 2);
});

test("batches are released when their lease was lost, when their run has ended, and when sending stops", async () => {
  const { attempts, open: calls, settled, stopping, run } = open({ lost: ["b1"] });
  attempts.add(tokens.slice(0, 8).map(heldBatch));
  await vi.waitFor(() => expect(calls.map(({ token }) => token)).toEqual(["b0", "b2", "b3", "b4"]));
  expect(settled).toEqual([["b1", "released"]]);
  run.isUnderWay = false;
  await attempts.dropEnded();
  expect(settled.slice(1)).toEqual(["b5", "b6", "b7"].map((token) => [token, "released"]));
  run.isUnderWay = true;
  attempts.add(tokens.slice(8, 10).map(heldBatch));
  stopping.abort();
  attempts.release();
  expect(settled.slice(4)).toEqual(["b8", "b9"].map((token) => [token, "released"]));
  for (const { end } of calls) end();
  await vi.waitFor(() => expect(settled.slice(6)).toHaveLength(calls.length));
});

test("marked batches of a run that has ended are released when it is noticed", async () => {
  const { attempts, marks, open: calls, settled, run } = open();
  attempts.add(tokens.slice(0, 2 * maxInFlight + 1).map(heldBatch));
  await vi.waitFor(() => expect(calls).toHaveLength(maxInFlight));
  for (const { end } of calls.splice(0)) end();
  await vi.waitFor(() => expect(calls).toHaveLength(maxInFlight));
  await vi.waitFor(() => expect(marks.flat()).toHaveLength(2 * maxInFlight + 1));
  run.isUnderWay = false;
  await attempts.dropEnded();
  expect(settled.slice(maxInFlight)).toEqual([["b8", "released"]]);
});

test.each([
  ["has ended", { isUnderWay: false }, 0],
  ["cannot be read", { isReadable: false }, 1],
])("batches of a run that %s are released before they are marked", async (_what, state, failures) => {
  const failed = vi.fn<(error: unknown) => void>();
  const { attempts, marks, settled, run } = open({ failed });
  Object.assign(run, state);
  attempts.add(tokens.slice(0, 3).map(heldBatch));
  await vi.waitFor(() => expect(settled).toEqual(["b0", "b1", "b2"].map((token) => [token, "released"])));
  expect(marks).toEqual([]);
  expect(failed).toHaveBeenCalledTimes(failures);
});

describe("with a rate limit", () => {
  test("batches that wait for a slot are released when it is noticed that their run has ended", async () => {
    const take = vi.fn((_limit: number, signal: AbortSignal) => {
      const { promise, reject } = Promise.withResolvers<RateSlot>();
      signal.addEventListener("abort", () => reject(signal.reason));
      return promise;
    });
    const { attempts, marks, settled, run } = open({ take });
    attempts.add(tokens.slice(0, 2).map(heldBatch));
    await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(2));
    run.isUnderWay = false;
    await attempts.dropEnded();
    await vi.waitFor(() => expect(settled).toEqual(["b0", "b1"].map((token) => [token, "released"])));
    expect(marks).toEqual([]);
  });

  const table: [what: string, lost: readonly string[], isUnderWay: boolean, marks: readonly string[][]][] = [
    ["whose lease is lost when it is marked", ["b0"], true, [["b0"]]],
    ["whose run ends while it waits for its slot", [], false, []],
  ];
  test.each(table)("a batch %s is not sent, nor counted as sent", async (_what, lost, isUnderWay, marks) => {
    const slot = { begin: () => true, done: vi.fn<() => void>() };
    const take = async (): Promise<RateSlot> => {
      world.run.isUnderWay = isUnderWay;
      return slot;
    };
    const world = open({ lost, take });
    world.attempts.add([heldBatch("b0")]);
    await vi.waitFor(() => expect(world.settled).toEqual([["b0", "released"]]));
    expect(world.marks).toEqual(marks);
    expect(world.open).toEqual([]);
    expect(slot.done).toHaveBeenCalledOnce();
    expect(world.attempts.sentPerSecond()).toBe(0);
  });
});
