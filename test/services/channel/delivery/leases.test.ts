import { describe, expect, it } from "vitest";
import { LeaseKeeper } from "../../../../services/channel/delivery/leases.ts";
import type { LeasedBatch } from "../../../../store/channels/channels.ts";
import { FakeClock } from "../../../base/async/fake-clock.ts";

const batch = (token: string) => ({ token }) as LeasedBatch;

function open(extend: (tokens: readonly string[]) => Promise<readonly string[]>) {
  const clock = new FakeClock();
  const calls: (readonly [number, readonly string[], number])[] = [];
  const failures: unknown[] = [];
  const leases = new LeaseKeeper({
    clock,
    leaseMs: 60_000,
    failed: (error) => failures.push(error),
    store: {
      extendBatches: (tokens, leaseMs) => {
        calls.push([clock.monotonicMs(), tokens, leaseMs]);
        return extend(tokens);
      },
    },
  });
  return { clock, calls, failures, leases };
}

describe("leases", () => {
  it("are prolonged in time until they are dropped", async () => {
    const { clock, calls, leases } = open(async () => []);
    const { signal } = leases.hold(batch("a"), 0).ending;
    await clock.advance(200_000);
    leases.drop("a");
    await clock.advance(100_000);
    const times = [0, ...calls.map(([atMs]) => atMs)];
    expect(Math.max(...times.slice(1).map((at, i) => at - times[i]!))).toBeLessThanOrEqual(40_000);
    expect(times.at(-1)).toBeLessThanOrEqual(200_000);
    expect(signal.aborted).toBe(false);
  });

  it("that are lost break the attempt off", async () => {
    const { clock, leases } = open(async () => ["a"]);
    const [a, b] = [leases.hold(batch("a"), 0), leases.hold(batch("b"), 0)];
    await clock.advance(40_000);
    expect([a.ending.signal.aborted, b.ending.signal.aborted]).toEqual([true, false]);
  });

  it("that cannot be prolonged end before another process may have the batch", async () => {
    const { clock, failures, leases } = open(() => Promise.reject(new Error("away")));
    const { signal } = leases.hold(batch("a"), 0).ending;
    await clock.advance(39_000);
    expect([signal.aborted, failures.length > 0]).toEqual([false, true]);
    await clock.advance(20_999);
    expect(signal.aborted).toBe(true);
  });

  it("are given back at once", async () => {
    const { calls, leases } = open(async () => []);
    leases.hold(batch("a"), 0);
    leases.abort(new Error("stopping"));
    await leases.release();
    expect(calls).toEqual([[0, ["a"], 1]]);
  });
});
