import { describe, expect, it } from "vitest";
import { WindowPacer } from "../../../../services/channel/delivery/window-pacer.ts";
import { FakeClock } from "./fake-clock.ts";
import { mostInSecond } from "./most-within.ts";

/** Requests that are counted by a receiver at some time between their beginning and their answer. */
function open(perSecond: number, waiting: number, answerAfterMs: (number: number) => number, startMs = 0) {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const pacer = new WindowPacer({ clock, startMs, signal: stopping.signal });
  const arrivals: number[] = [];
  let sent = 0;
  const send = async (limit = perSecond): Promise<void> => {
    const turn = await pacer.take(limit);
    const latencyMs = answerAfterMs(sent++);
    // The later it is counted, the harder for those behind: the last moment is that of the answer.
    const answered = (): void => {
      arrivals.push(clock.monotonic());
      turn.done();
    };
    // Who is counted early and who late takes turns.
    if (sent % 2 === 0) clock.after(latencyMs, answered);
    else {
      arrivals.push(clock.monotonic());
      clock.after(latencyMs, () => turn.done());
    }
  };
  const sends = Promise.allSettled(Array.from({ length: waiting }, () => send()));
  return { clock, pacer, arrivals, stopping, sends, send };
}

const within = (times: readonly number[], ms: number): number => times.filter((at) => at < ms).length;

describe("requests of one process", () => {
  it.each([1, 2, 10, 333, 1_000])("at %d a second are never more as the receiver counts", async (limit) => {
    const { clock, arrivals } = open(limit, 6 * limit, (number) => [1, 30, 5, 12][number % 4]!);
    await clock.advance(6_200);
    expect(mostInSecond(arrivals)).toBeLessThanOrEqual(limit);
    expect(within(arrivals, 6_200)).toBeGreaterThanOrEqual(0.95 * 6 * limit);
  });

  it("wait for answers that come late for once", async () => {
    const { clock, arrivals } = open(100, 900, (number) => (number > 200 && number < 240 ? 400 : 5));
    await clock.advance(9_000);
    expect(mostInSecond(arrivals)).toBeLessThanOrEqual(100);
    expect(arrivals.length).toBeGreaterThan(820);
  });

  it("are not held up for ever by a receiver that is always slow", async () => {
    const { clock, arrivals } = open(100, 3_000, () => 300);
    await clock.advance(30_000);
    // What patience there was at first is 2 % of this time.
    expect(within(arrivals, 30_000)).toBeGreaterThan(0.93 * 3_000);
  });

  it("go on when nothing is answered", async () => {
    const { clock, arrivals } = open(10, 100, () => 1e9);
    await clock.advance(10_000);
    expect(arrivals.length).toBeGreaterThan(40);
  });

  it("make up for a stall, within the limit", async () => {
    const { clock, arrivals } = open(100, 1_000, () => 2);
    for (const stallMs of [30, 500, 41, 900]) {
      await clock.advance(700);
      clock.stall(stallMs);
    }
    await clock.advance(4_000);
    expect(mostInSecond(arrivals)).toBeLessThanOrEqual(100);
    expect(arrivals.length).toBeGreaterThan(600);
  });

  it("keep to each of several limits", async () => {
    const { clock, arrivals, send } = open(200, 200, () => 5);
    await clock.advance(1_100);
    for (let i = 0; i < 50; i++) void send(20);
    await clock.advance(3_000);
    expect(mostInSecond(arrivals.filter((at) => at >= 1_100))).toBeLessThanOrEqual(20);
    expect(mostInSecond(arrivals)).toBeLessThanOrEqual(200);
  });

  it("are evenly spread where nothing was sent before, and not begun too early", async () => {
    const { clock, arrivals, pacer } = open(10, 10, () => 0, 1_100);
    await clock.advance(1_099);
    expect(arrivals).toEqual([]);
    await clock.advance(1_000);
    expect(arrivals).toEqual(Array.from({ length: 10 }, (_, i) => 1_100 + 100 * i));
    expect(pacer.isIdle).toBe(false);
    await clock.advance(2_100);
    expect(pacer.isIdle).toBe(true);
  });

  it("let go of who waits when it is to stop", async () => {
    const { clock, stopping, sends } = open(1, 3, () => 0);
    await clock.advance(10);
    stopping.abort(new Error("stopping"));
    await clock.advance(1);
    const states = (await sends).map(({ status }) => status);
    expect(states).toEqual(["fulfilled", "rejected", "rejected"]);
  });
});
