import { describe, expect, it } from "vitest";
import { createSettledNow } from "../../../base/async/clock.ts";
import { watchClockJumps } from "../../../base/async/clock-jumps.ts";
import { FakeClock } from "./fake-clock.ts";

const hourMs = 3_600_000;

it.each([
  { name: "put forward", steps: [hourMs], reported: [hourMs] },
  { name: "set back", steps: [-hourMs], reported: [-hourMs] },
  { name: "put forward by more than a day", steps: [25 * hourMs], reported: [25 * hourMs] },
  { name: "set and set back", steps: [hourMs, -hourMs], reported: [hourMs, -hourMs] },
  { name: "kept right in small steps", steps: [500, -900, 400], reported: [] },
  { name: "drifting away slowly", steps: [900, 900, 900], reported: [] },
])("reports a clock that is $name once", async ({ steps, reported }) => {
  const clock = new FakeClock();
  const seen: number[] = [];
  using _watch = watchClockJumps(clock, (ms) => seen.push(ms));
  for (const step of steps) {
    await clock.advance(5_000);
    clock.set(step);
  }
  await clock.advance(60_000);
  expect(seen).toEqual(reported);
});

it("watches no longer than it is asked to", async () => {
  const clock = new FakeClock();
  const seen: number[] = [];
  watchClockJumps(clock, (ms) => seen.push(ms))[Symbol.dispose]();
  clock.set(hourMs);
  await clock.advance(5_000);
  expect(seen).toEqual([]);
});

describe("a clock whose jumps have to settle", () => {
  const open = () => {
    const clock = new FakeClock();
    const now = createSettledNow(clock, hourMs);
    /** Asked every minute. */
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 60_000) {
        await clock.advance(60_000);
        now();
      }
    };
    return { clock, now, pass };
  };

  it.each([25 * hourMs, -hourMs])("leaves a jump of %i ms out that is undone soon", async (jumpMs) => {
    const { clock, now, pass } = open();
    clock.set(jumpMs);
    await pass(hourMs / 2);
    expect(now()).toBe(clock.now() - jumpMs);
    clock.set(-jumpMs);
    await pass(2 * hourMs);
    expect(now()).toBe(clock.now());
  });

  it.each([25 * hourMs, -hourMs])("follows a jump of %i ms that stays", async (jumpMs) => {
    const { clock, now, pass } = open();
    clock.set(jumpMs);
    await pass(hourMs - 60_000);
    expect(now()).toBe(clock.now() - jumpMs);
    await pass(3 * 60_000);
    expect(now()).toBe(clock.now());
  });

  it("follows small corrections at once", async () => {
    const { clock, now, pass } = open();
    clock.set(900);
    await pass(60_000);
    expect(now()).toBe(clock.now());
  });
});
