import { expect, test, vi } from "vitest";
import { SharedRate } from "../../../../base/async/shared-rate.ts";
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

/** @param lost tokens whose leases are lost when they are marked */
function open({ lost = [] as readonly string[] } = {}) {
  const clock = new FakeClock();
  const marks: (readonly string[])[] = [];
  const open: { readonly token: string; readonly end: () => void }[] = [];
  const settled: (readonly [token: string, outcome: Outcome["kind"] | undefined])[] = [];
  const stopping = new AbortController();
  const run = { isUnderWay: true };
  const marker = new AttemptMarker({
    beginBatches: async (tokens) => {
      marks.push(tokens);
      return tokens.filter((token) => lost.includes(token));
    },
  });
  const plan = { rateLimit: -1 } as RunPlan;
  const runs = {
    current: () => (run.isUnderWay ? plan : undefined),
    isUnderWay: async () => run.isUnderWay,
  } as unknown as RunPlans;
  const shares = { shareRate: () => Promise.reject(new Error("no rate")), leaveRate: async () => {} };
  const failed = (error: unknown): void => expect.fail(String(error));
  const rate = new SharedRate({ shares, clock, signal: stopping.signal, failed });
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
