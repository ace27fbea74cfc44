import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seeded } from "../../servers/webhook/batches.ts";
import { mostInSecond } from "./most-within.ts";
import { openRateWorld, type Process } from "./rate-world.ts";

const always = 1e9;
const between = (times: readonly number[], fromMs: number, toMs: number): number =>
  times.filter((at) => at >= fromMs && at < toMs).length;

describe("the rate of a channel", () => {
  it.each([1, 2, 3, 50, 400])("of %d is all of one process at once", async (limit) => {
    const { clock, start } = openRateWorld(seeded(1));
    const { arrivals } = start(always, limit, { atOnce: 32 });
    await clock.advance(10_200);
    expect(mostInSecond(arrivals)).toBeLessThanOrEqual(limit);
    expect(between(arrivals, 0, 10_200)).toBeGreaterThanOrEqual(0.95 * 10 * limit);
  });

  it.each([
    [2, 2],
    [50, 2],
    [50, 3],
    [200, 2],
  ])("of %d is kept and reached by %d processes together", async (limit, count) => {
    const { clock, start, processes, arrivals } = openRateWorld(seeded(2));
    for (let i = 0; i < count; i++) {
      start(always, limit);
      await clock.advance(300);
    }
    await clock.advance(25_000 - 300 * count);
    expect(mostInSecond(arrivals())).toBeLessThanOrEqual(limit);
    expect(between(arrivals(), 5_000, 25_000)).toBeGreaterThanOrEqual(0.95 * 20 * limit);
    const each = processes.map((one) => between(one.arrivals, 5_000, 25_000));
    expect(Math.min(...each)).toBeGreaterThanOrEqual(0.9 * 20 * Math.floor(limit / count));
  });

  it("of one is one process's at a time, each in turn", async () => {
    const { clock, start, processes, arrivals } = openRateWorld(seeded(3));
    for (let i = 0; i < 3; i++) start(always, 1);
    await clock.advance(185_000);
    expect(mostInSecond(arrivals())).toBe(1);
    expect(arrivals().length).toBeGreaterThanOrEqual(0.95 * 185);
    expect(processes.every(({ arrivals: own }) => own.length > 50)).toBe(true);
  });

  it("moves to who has work when another one has none any more", async () => {
    const { clock, start, arrivals } = openRateWorld(seeded(4));
    start(always, 50);
    const second = start(always, 50);
    await clock.advance(6_000);
    second.work = 0;
    await clock.advance(14_000);
    expect(between(arrivals(), 10_000, 20_000)).toBeGreaterThanOrEqual(0.95 * 10 * 50);
    expect(mostInSecond(arrivals())).toBeLessThanOrEqual(50);
  });

  it("moves to who can use more of it", async () => {
    const { clock, start, arrivals } = openRateWorld(seeded(5));
    const [fast, slow] = [start(always, 200, { atOnce: 32 }), start(0, 200)];
    for (let second = 0; second < 20; second++) {
      slow.work += 10;
      await clock.advance(1_000);
    }
    expect(between(slow.arrivals, 10_000, 20_000)).toBeGreaterThanOrEqual(90);
    expect(between(fast.arrivals, 10_000, 20_000)).toBeGreaterThanOrEqual(1_650);
    expect(mostInSecond(arrivals())).toBeLessThanOrEqual(200);
  });

  it("comes back from a process that was killed, when its lease has ended", async () => {
    const { clock, start, arrivals } = openRateWorld(seeded(6));
    const [, second] = [start(always, 50), start(always, 50)];
    await clock.advance(6_000);
    second.kill();
    await clock.advance(24_000);
    expect(between(arrivals(), 20_000, 30_000)).toBeGreaterThanOrEqual(0.95 * 10 * 50);
    expect(mostInSecond(arrivals())).toBeLessThanOrEqual(50);
  });

  it("comes back at once from a process that has left", async () => {
    const { clock, start, arrivals } = openRateWorld(seeded(7));
    const [, second] = [start(always, 50), start(always, 50)];
    await clock.advance(6_000);
    void second.leave();
    await clock.advance(14_000);
    expect(between(arrivals(), 10_000, 20_000)).toBeGreaterThanOrEqual(0.95 * 10 * 50);
    expect(mostInSecond(arrivals())).toBeLessThanOrEqual(50);
  });

  it("is that of the lowest limit while there is something to send by it", async () => {
    const { clock, start, arrivals } = openRateWorld(seeded(8));
    start(always, 100);
    await clock.advance(5_000);
    const low = start(60, 10);
    await clock.advance(20_000);
    const began = low.arrivals[0]!;
    const during = arrivals().filter((at) => at >= began && at <= low.arrivals.at(-1)!);
    expect(mostInSecond(during)).toBeLessThanOrEqual(10);
    expect(low.arrivals).toHaveLength(60);
    expect(between(arrivals(), 22_000, 25_000)).toBeGreaterThan(0.9 * 3 * 100);
    expect(mostInSecond(arrivals())).toBeLessThanOrEqual(100);
  });

  it("costs nothing while nothing is sent", async () => {
    const { clock, start, calls } = openRateWorld(seeded(9));
    start(5, 10);
    await clock.advance(10_000);
    const before = calls.count;
    await clock.advance(60_000);
    expect(calls.count).toBe(before);
  });
});

const event = fc.record({
  waitMs: fc.integer({ min: 0, max: 4_000 }),
  kind: fc.constantFrom("start", "start", "stall", "stall", "kill", "leave", "pause", "go on"),
  which: fc.nat(),
  ms: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 15_000 })),
});

const doers: Readonly<Record<string, (process: Process, ms: number) => void>> = {
  stall: ({ clock }, ms) => {
    clock.stalledUntilMs = clock.now() + ms;
  },
  kill: (process) => process.kill(),
  leave: (process) => void process.leave(),
  pause: (process) => {
    process.work = 0;
  },
  "go on": (process) => {
    process.work = always;
  },
};

it("is kept whatever becomes of the processes that share it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 2, 3, 10, 40),
      fc.array(event, { minLength: 3, maxLength: 12 }),
      fc.nat(),
      async (limit, events, seed) => {
        const random = seeded(seed);
        const { clock, start, processes, arrivals } = openRateWorld(random);
        start(always, limit);
        for (const { waitMs, kind, which, ms } of events) {
          const process = processes[which % processes.length]!;
          const act = doers[kind] ?? (() => start(always, limit, { skewMs: (random() - 0.5) * 900 }));
          act(process, ms);
          await clock.advance(waitMs);
        }
        await clock.advance(3_000);
        expect(mostInSecond(arrivals())).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 60 },
  );
});
