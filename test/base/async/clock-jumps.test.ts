import { expect, it } from "vitest";
import { createSteadyNow } from "../../../base/async/clock.ts";
import { watchClockJumps } from "../../../base/async/clock-jumps.ts";
import { FakeClock } from "./fake-clock.ts";

const hourMs = 3_600_000;

it.each([
  { name: "put forward", steps: [hourMs], told: [hourMs] },
  { name: "set back", steps: [-hourMs], told: [-hourMs] },
  { name: "put forward by more than a day", steps: [25 * hourMs], told: [25 * hourMs] },
  { name: "set and set back", steps: [hourMs, -hourMs], told: [hourMs, -hourMs] },
  { name: "kept right in small steps", steps: [500, -900, 400], told: [] },
  { name: "drifting away slowly", steps: [900, 900, 900], told: [] },
])("reports a clock that is $name once", async ({ steps, told }) => {
  const clock = new FakeClock();
  const seen: number[] = [];
  using _watch = watchClockJumps(clock, (ms) => seen.push(ms));
  for (const step of steps) {
    await clock.advance(5_000);
    clock.set(step);
  }
  await clock.advance(60_000);
  expect(seen).toEqual(told);
});

it("watches no longer than it is asked to", async () => {
  const clock = new FakeClock();
  const seen: number[] = [];
  watchClockJumps(clock, (ms) => seen.push(ms))[Symbol.dispose]();
  clock.set(hourMs);
  await clock.advance(5_000);
  expect(seen).toEqual([]);
});

it("keeps a time since 1970 steady while the clock is set", async () => {
  const clock = new FakeClock();
  const steadyNow = createSteadyNow(clock);
  const startMs = clock.now();
  clock.set(-hourMs);
  await clock.advance(250);
  expect(steadyNow()).toBe(startMs + 250);
});
