import { afterEach, beforeEach, expect, it } from "vitest";
import { SharedRate } from "../../../../base/async/shared-rate.ts";
import {
  CallGate,
  type GateOptions,
  type GateRate,
  type Leave,
  type Priority,
} from "../../../../services/webhook/delivery/gate.ts";
import { mostInSecond } from "../../../base/async/most-within.ts";
import { TestClock } from "./test-clock.ts";

let clock: TestClock;
let changes: string[];
beforeEach(() => {
  clock = new TestClock();
  changes = [];
});

const open: CallGate[] = [];
afterEach(() => {
  for (const gate of open.splice(0)) gate.close();
});

function openGate(options: Partial<GateOptions> = {}): CallGate {
  const gate = new CallGate({
    concurrency: 2,
    rate: undefined,
    clock,
    onBreaker: (kind) => changes.push(kind),
    breaker: { failures: 2, openMs: 1_000, maxOpenMs: 1_000 },
    ...options,
  });
  open.push(gate);
  return gate;
}

/** Notes in which order calls are let through; refused ones with a bang. */
function enter(gate: CallGate, log: string[], name: string, priority: Priority = "normal") {
  const { signal } = new AbortController();
  return gate.enter(priority, signal).then((leave) => {
    log.push(leave === undefined ? `${name}!` : name);
    return leave as Leave;
  });
}

it("lets urgent calls pass those that wait", async () => {
  const gate = openGate({ concurrency: 1 });
  const log: string[] = [];
  const first = await enter(gate, log, "a");
  const others = [enter(gate, log, "b"), enter(gate, log, "c", "urgent")];
  expect(gate.waiting).toBe(2);
  first({ kind: "ok" });
  (await others[1]!)({ kind: "ok" });
  await others[0]!;
  expect(log).toEqual(["a", "c", "b"]);
});

it("lets no caller through that has given up", async () => {
  const gate = openGate({ concurrency: 1 });
  const log: string[] = [];
  const first = await enter(gate, log, "a");
  const waiting = new AbortController();
  const second = gate.enter("normal", waiting.signal);
  waiting.abort();
  expect(await second).toBeUndefined();
  expect(await gate.enter("normal", waiting.signal)).toBeUndefined();
  first({ kind: "ok" });
  expect([gate.calls, gate.waiting]).toEqual([0, 0]);
});

it("refuses those that wait when the target goes down", async () => {
  const gate = openGate({ breaker: { failures: 1, openMs: 1_000, maxOpenMs: 1_000 } });
  const log: string[] = [];
  const running = await Promise.all([enter(gate, log, "a"), enter(gate, log, "b")]);
  const waiting = [enter(gate, log, "c"), enter(gate, log, "d")];
  for (const leave of running) leave({ kind: "failed" });
  await Promise.all(waiting);
  await enter(gate, log, "e");
  expect(log).toEqual(["a", "b", "c!", "d!", "e!"]);
  expect(changes).toEqual(["open"]);
});

it("lets one call through to see, and all when that one ends well", async () => {
  const gate = openGate();
  const log: string[] = [];
  for (const leave of await Promise.all([enter(gate, log, "a"), enter(gate, log, "b")]))
    leave({ kind: "failed" });
  await clock.pass(1_000);
  const probe = await enter(gate, log, "c");
  await enter(gate, log, "d");
  probe({ kind: "ok" });
  await Promise.all([enter(gate, log, "e"), enter(gate, log, "f")]);
  expect(log).toEqual(["a", "b", "c", "d!", "e", "f"]);
  expect(changes).toEqual(["open", "half-open", "closed"]);
});

/** A rate that no other process has. */
function openRate(limit: number): GateRate {
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
  const gate = openGate({ concurrency: 10, rate: openRate(2) });
  const starts: number[] = [];
  const beginMs = clock.now();
  const calls = Array.from({ length: 5 }, async () => {
    const leave = await enter(gate, [], "x");
    starts.push(clock.now() - beginMs);
    leave({ kind: "ok" });
  });
  await clock.pass(10_000);
  await Promise.all(calls);
  expect(mostInSecond(starts)).toBe(2);
  expect(starts.at(-1)).toBeLessThan(3_000);
});

it("takes a turn of the rate for a call that begins, and no other", async () => {
  const turns: string[] = [];
  const rate: GateRate = {
    limit: 5,
    async take() {
      turns.push("taken");
      return { begin: () => turns.push("begun") > 0, done: () => turns.push("done") };
    },
  };
  const gate = openGate({ concurrency: 1, rate });
  const waiting = new AbortController();
  const gone = gate.enter("normal", waiting.signal);
  waiting.abort();
  expect(await gone).toBeUndefined();
  await clock.pass(1);
  expect(turns).toEqual(["taken", "done"]);
  (await enter(gate, [], "x"))({ kind: "ok" });
  expect(turns).toEqual(["taken", "done", "taken", "begun", "done"]);
});
