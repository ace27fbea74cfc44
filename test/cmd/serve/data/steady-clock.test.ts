import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createSharedClock, openSteadyClock } from "../../../../cmd/serve/data/steady-clock.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 2);

/** Returns the clock an hour after its first start, and after a restart of the process if there is one. */
function run(putForwardMs: number, restarted: "not" | "process" | "computer"): readonly [number, number] {
  const data = mkdtempSync(join(tmpdir(), "steady-"));
  let passedMs = 0;
  let setMs = 0;
  const ports = (bootId: string, upMs: number) => ({
    bootId,
    now: () => startMs + passedMs + setMs,
    monotonicMs: () => passedMs,
    uptimeMs: () => passedMs - upMs,
  });
  const before = openSteadyClock({ data }, ports("first", 0));
  passedMs += hourMs;
  before.steadyMs();
  setMs = putForwardMs;
  const clocks = {
    not: () => before,
    process: () => openSteadyClock({ data }, ports("first", 0)),
    computer: () => openSteadyClock({ data }, ports("second", passedMs)),
  };
  const clock = clocks[restarted]();
  const found = [clock.steadyMs() - startMs, clock.driftMs()] as const;
  for (const open of [before, clock]) open[Symbol.dispose]();
  rmSync(data, { recursive: true });
  return found;
}

it.each([
  ["kept right", 0, "not", hourMs, 0],
  ["kept right over the network", 5_000, "not", hourMs, 0],
  ["put forward", 25 * hourMs, "not", hourMs, 25 * hourMs],
  ["set back", -hourMs, "not", hourMs, -hourMs],
  ["put forward while no server ran", 25 * hourMs, "process", hourMs, 25 * hourMs],
  ["set back while no server ran", -hourMs, "process", hourMs, -hourMs],
  ["set back while the computer was off", -hourMs, "computer", hourMs, -hourMs],
  ["right after the computer was off", 5 * hourMs, "computer", 6 * hourMs, 0],
] as const)("a clock that is %s", (_name, putForwardMs, restarted, steadyMs, driftMs) => {
  expect(run(putForwardMs, restarted)).toEqual([steadyMs, driftMs]);
});

/** Returns a shared clock of which two requests fail, after the computer's clock was set. */
async function runShared(setMs: number): Promise<readonly [atFirst: number, later: number, driftMs: number]> {
  let passedMs = 0;
  const replies = [Promise.reject(new Error("away")), Promise.reject(new Error("away"))];
  for (const reply of replies) reply.catch(() => {});
  const waits: number[] = [];
  const known = Promise.withResolvers<void>();
  using clock = createSharedClock({
    ask: async () => {
      const reply = replies.shift();
      if (reply !== undefined) return await reply;
      known.resolve();
      return startMs + passedMs;
    },
    clock: {
      now: () => startMs + passedMs + setMs,
      monotonicMs: () => passedMs,
      wait: async (ms) => void waits.push(ms),
    },
  });
  const atFirst = clock.steadyMs() - startMs;
  await known.promise;
  await vi.waitUntil(() => clock.steadyMs() === startMs);
  passedMs += hourMs / 60;
  expect(waits).toEqual([1_000, 1_000]);
  return [atFirst, clock.steadyMs() - startMs, clock.driftMs()];
}

it.each([
  ["kept right", 0, 0],
  ["a little wrong", 2_000, 0],
  ["put forward", 25 * hourMs, 25 * hourMs],
  ["set back", -2 * hourMs, -2 * hourMs],
])("follows the database while the computer's clock is %s", async (_what, setMs, driftMs) => {
  expect(await runShared(setMs)).toEqual([setMs, hourMs / 60, driftMs]);
});
