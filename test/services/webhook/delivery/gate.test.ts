import { afterEach, beforeEach, expect, it } from "vitest";
import {
  CallGate,
  type GateOptions,
  type Leave,
  type Priority,
} from "../../../../services/webhook/delivery/gate.ts";
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
    ...{ concurrency: 2, maxPerSecond: undefined, clock, onBreaker: (kind) => changes.push(kind) },
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

it("lets nobody through that has given up", async () => {
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

it("lets calls through by and by when there is a limit", async () => {
  const gate = openGate({ concurrency: 10, maxPerSecond: 2 });
  const starts: number[] = [];
  const beginMs = clock.now();
  const calls = Array.from({ length: 5 }, async () => {
    await enter(gate, [], "x");
    starts.push(clock.now() - beginMs);
  });
  await clock.pass(10_000);
  await Promise.all(calls);
  expect(starts).toEqual([0, 0, 1_000, 1_000, 2_000]);
});
