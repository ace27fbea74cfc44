import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSteadyClock } from "../../../../cmd/serve/data/steady-clock.ts";

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
