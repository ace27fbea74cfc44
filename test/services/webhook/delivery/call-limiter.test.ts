import { afterEach, beforeEach, expect, it } from "vitest";
import { SharedRate } from "../../../../base/async/shared-rate.ts";
import {
  CallLimiter,
  type CallLimiterOptions,
  type CallRate,
  type EndCall,
  type Priority,
} from "../../../../services/webhook/delivery/call-limiter.ts";
import { mostInSecond } from "../../../base/async/most-within.ts";
import { TestClock } from "./test-clock.ts";

let clock: TestClock;
let changes: string[];
beforeEach(() => {
  clock = new TestClock();
  changes = [];
});

const open: CallLimiter[] = [];
afterEach(() => {
  for (const limiter of open.splice(0)) limiter.close();
});

function openLimiter(options: Partial<CallLimiterOptions> = {}): CallLimiter {
  const limiter = new CallLimiter({
    concurrency: 2,
    rate: undefined,
    clock,
    onBreaker: (kind) => changes.push(kind),
    breaker: { failures: 2, openMs: 1_000, maxOpenMs: 1_000 },
    ...options,
  });
  open.push(limiter);
  return limiter;
}

/** Notes in which order calls are let through; refused ones with a bang. */
function acquire(limiter: CallLimiter, log: string[], name: string, priority: Priority = "normal") {
  const { signal } = new AbortController();
  return limiter.acquire(priority, signal).then((endCall) => {
    log.push(endCall === undefined ? `${name}!` : name);
    return endCall as EndCall;
  });
}

it("lets urgent calls pass those that wait", async () => {
  const limiter = openLimiter({ concurrency: 1 });
  const log: string[] = [];
  const first = await acquire(limiter, log, "a");
  const others = [acquire(limiter, log, "b"), acquire(limiter, log, "c", "urgent")];
  expect(limiter.waiting).toBe(2);
  first({ kind: "ok" });
  (await others[1]!)({ kind: "ok" });
  await others[0]!;
  expect(log).toEqual(["a", "c", "b"]);
});

it("lets no caller through that has given up", async () => {
  const limiter = openLimiter({ concurrency: 1 });
  const log: string[] = [];
  const first = await acquire(limiter, log, "a");
  const waiting = new AbortController();
  const second = limiter.acquire("normal", waiting.signal);
  waiting.abort();
  expect(await second).toBeUndefined();
  expect(await limiter.acquire("normal", waiting.signal)).toBeUndefined();
  first({ kind: "ok" });
  expect([limiter.calls, limiter.waiting]).toEqual([0, 0]);
});

it("refuses those that wait when the target goes down", async () => {
  const limiter = openLimiter({ breaker: { failures: 1, openMs: 1_000, maxOpenMs: 1_000 } });
  const log: string[] = [];
  const running = await Promise.all([acquire(limiter, log, "a"), acquire(limiter, log, "b")]);
  const waiting = [acquire(limiter, log, "c"), acquire(limiter, log, "d")];
  for (const endCall of running) endCall({ kind: "failed" });
  await Promise.all(waiting);
  await acquire(limiter, log, "e");
  expect(log).toEqual(["a", "b", "c!", "d!", "e!"]);
  expect(changes).toEqual(["open"]);
});

it("remembers since when the target is down, whatever is tried meanwhile", async () => {
  const limiter = openLimiter({ breaker: { failures: 1, openMs: 1_000, maxOpenMs: 1_000 } });
  expect(limiter.openedMs).toBeUndefined();
  (await acquire(limiter, [], "a"))({ kind: "failed" });
  const downMs = clock.monotonicMs();
  await clock.pass(1_000);
  const probe = await acquire(limiter, [], "b");
  expect([limiter.breaker.kind, limiter.openedMs]).toEqual(["half-open", downMs]);
  probe({ kind: "failed" });
  expect(limiter.breaker).toMatchObject({ kind: "open", untilMs: downMs + 2_000 });
  expect(limiter.openedMs).toBe(downMs);
  await clock.pass(1_000);
  (await acquire(limiter, [], "c"))({ kind: "ok" });
  expect([limiter.breaker.kind, limiter.openedMs]).toEqual(["closed", undefined]);
});

it("lets one call through to see, and all when that one ends well", async () => {
  const limiter = openLimiter();
  const log: string[] = [];
  for (const endCall of await Promise.all([acquire(limiter, log, "a"), acquire(limiter, log, "b")]))
    endCall({ kind: "failed" });
  await clock.pass(1_000);
  const probe = await acquire(limiter, log, "c");
  await acquire(limiter, log, "d");
  probe({ kind: "ok" });
  await Promise.all([acquire(limiter, log, "e"), acquire(limiter, log, "f")]);
  expect(log).toEqual(["a", "b", "c", "d!", "e", "f"]);
  expect(changes).toEqual(["open", "half-open", "closed"]);
});

/** A rate that no other process has. */
function openRate(limit: number): CallRate {
  const { signal } = new AbortController();
  const rate = new SharedRate({
    shares: {
      shareRate: async ({ perSecond }) => ({
        token: "t",
        held: perSecond,
        fair: perSecond,
        total: perSecond,
      }),
      leaveRate: async () => {},
    },
    clock,
    signal,
    failed: () => {},
  });
  return { limit, take: (perSecond, ended) => rate.take(perSecond, ended) };
}

it("lets calls through by and by when there is a limit", async () => {
  const limiter = openLimiter({ concurrency: 10, rate: openRate(2) });
  const starts: number[] = [];
  const beginMs = clock.now();
  const calls = Array.from({ length: 5 }, async () => {
    const endCall = await acquire(limiter, [], "x");
    starts.push(clock.now() - beginMs);
    endCall({ kind: "ok" });
  });
  await clock.pass(10_000);
  await Promise.all(calls);
  expect(mostInSecond(starts)).toBe(2);
  expect(starts.at(-1)).toBeLessThan(3_000);
});

it("takes a turn of the rate for a call that begins, and no other", async () => {
  const turns: string[] = [];
  const rate: CallRate = {
    limit: 5,
    async take() {
      turns.push("taken");
      return { begin: () => turns.push("begun") > 0, done: () => turns.push("done") };
    },
  };
  const limiter = openLimiter({ concurrency: 1, rate });
  const waiting = new AbortController();
  const gone = limiter.acquire("normal", waiting.signal);
  waiting.abort();
  expect(await gone).toBeUndefined();
  await clock.pass(1);
  expect(turns).toEqual(["taken", "done"]);
  (await acquire(limiter, [], "x"))({ kind: "ok" });
  expect(turns).toEqual(["taken", "done", "taken", "begun", "done"]);
});
