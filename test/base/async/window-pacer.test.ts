import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { WindowPacer } from "../../../base/async/window-pacer.ts";
import { FakeClock } from "./fake-clock.ts";
import { mostInSecond } from "./most-within.ts";

/** Requests that are counted by a receiver at some time between their beginning and their answer. */
function open(
  perSecond: number,
  waiting: number,
  answerAfterMs: (number: number) => number,
  allowed = perSecond,
) {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const pacer = new WindowPacer({ clock, signal: stopping.signal });
  const allow = (share: number, untilMs = Number.POSITIVE_INFINITY): void =>
    pacer.allow({ perSecond: share, ofAll: share, untilMs });
  allow(allowed);
  const arrivals: number[] = [];
  let sent = 0;
  const send = async (limit = perSecond): Promise<void> => {
    const turn = await pacer.take(limit);
    turn.begin();
    const latencyMs = answerAfterMs(sent++);
    // A late count is the hardest case for later requests: the last moment is that of the response.
    const answered = (): void => {
      arrivals.push(clock.monotonicMs());
      turn.done();
    };
    // Early and late counts alternate.
    if (sent % 2 === 0) clock.after(latencyMs, answered);
    else {
      arrivals.push(clock.monotonicMs());
      clock.after(latencyMs, () => turn.done());
    }
  };
  const sends = Promise.allSettled(Array.from({ length: waiting }, () => send()));
  return { clock, pacer, arrivals, stopping, sends, send, allow };
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
    // The initial delay budget is 2 % of this time.
    expect(within(arrivals, 30_000)).toBeGreaterThan(0.93 * 3_000);
  });

  it("leave nothing at a signal that outlives them", async () => {
    const { clock, pacer } = open(100, 0, () => 0);
    const { signal } = new AbortController();
    const turns = Array.from({ length: 3 }, () => pacer.take(100, signal));
    await clock.advance(1_000);
    await Promise.all(turns);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
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

  it.each([
    [50, 2_000, 3],
    [50, 2_000, 160],
    [50, 700, 60],
    [20, 5_000, 30],
    [200, 1_200, 150],
  ])(
    "at %d a second count again after a stall of %d ms, leaving %d ms after they began",
    async (limit, stallMs, leaveMs) => {
      const clock = new FakeClock();
      const pacer = new WindowPacer({ clock, signal: new AbortController().signal });
      pacer.allow({ perSecond: limit, ofAll: limit, untilMs: Number.POSITIVE_INFINITY });
      const arrivals: number[] = [];
      const send = async (): Promise<void> => {
        const turn = await pacer.take(limit);
        turn.begin();
        clock.after(leaveMs, () => {
          arrivals.push(clock.monotonicMs());
          clock.after(2, () => turn.done());
        });
      };
      for (let i = 0; i < 8 * limit; i++) void send();
      for (let stall = 0; stall < 3; stall++) {
        await clock.advance(1_501);
        clock.stall(stallMs);
      }
      await clock.advance(4_000);
      expect(mostInSecond(arrivals)).toBeLessThanOrEqual(limit);
      expect(arrivals.length).toBeGreaterThan(3 * limit);
    },
  );

  it("keep to what is allowed when that becomes less, and more", async () => {
    const { clock, arrivals, send, allow } = open(200, 200, () => 5);
    await clock.advance(1_100);
    allow(20);
    for (let i = 0; i < 50; i++) void send(20);
    await clock.advance(3_000);
    expect(mostInSecond(arrivals.filter((at) => at >= 1_100))).toBe(20);
    expect(mostInSecond(arrivals)).toBeLessThanOrEqual(200);
    allow(300);
    for (let i = 0; i < 900; i++) void send(300);
    await clock.advance(3_000);
    expect(mostInSecond(arrivals)).toBeLessThanOrEqual(300);
    expect(arrivals.length).toBeGreaterThan(1_000);
  });

  it("wait while all may send more than their limit", async () => {
    const { clock, arrivals, send, allow } = open(200, 0, () => 5);
    void send(20);
    await clock.advance(5_000);
    expect(arrivals).toEqual([]);
    allow(20);
    await clock.advance(10);
    expect(arrivals).toHaveLength(1);
  });

  it("are evenly spread where nothing was sent before, and not begun before it is allowed", async () => {
    const { clock, arrivals, allow } = open(10, 10, () => 0, 0);
    await clock.advance(1_100);
    expect(arrivals).toEqual([]);
    allow(10);
    await clock.advance(1_000);
    expect(arrivals).toEqual(Array.from({ length: 10 }, (_, i) => 1_100 + 100 * i));
  });

  it("end with what is allowed", async () => {
    const { clock, arrivals, allow } = open(10, 30, () => 0, 0);
    allow(10, 1_500);
    await clock.advance(5_000);
    expect(arrivals.at(-1)).toBeLessThan(1_500);
    allow(10, 6_500);
    await clock.advance(5_000);
    expect(arrivals.at(-1)).toBeGreaterThan(5_000);
    expect(arrivals.at(-1)).toBeLessThan(6_500);
  });

  it("don't wait for one that is dropped, whatever its limit", async () => {
    const { clock, pacer, arrivals, send } = open(100, 0, () => 0);
    const dropping = new AbortController();
    const dropped = pacer.take(1, dropping.signal);
    void send();
    await clock.advance(1_000);
    expect([arrivals.length, pacer.look().limits]).toEqual([0, [1, 100]]);
    dropping.abort(new Error("dropped"));
    await expect(dropped).rejects.toThrow("dropped");
    await clock.advance(1);
    expect([arrivals.length, pacer.look().limits]).toEqual([1, []]);
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

describe("a turn", () => {
  const allowOne = () => {
    const clock = new FakeClock();
    const pacer = new WindowPacer({ clock, signal: new AbortController().signal });
    pacer.allow({ perSecond: 1, ofAll: 1, untilMs: 5_000 });
    return { clock, pacer };
  };

  it("counts from when it is begun, however late that is", async () => {
    const { clock, pacer } = allowOne();
    const first = await pacer.take(1);
    let isSecond = false;
    void pacer.take(1).then(() => {
      isSecond = true;
    });
    await clock.advance(3_000);
    expect([isSecond, pacer.quietAtMs(1)]).toEqual([false, Number.POSITIVE_INFINITY]);
    expect(first.begin()).toBe(true);
    first.done();
    expect(pacer.quietAtMs(1)).toBe(4_000);
    await clock.advance(999);
    expect(isSecond).toBe(false);
    await clock.advance(2);
    expect(isSecond).toBe(true);
  });

  it("that is given back is free for others at once", async () => {
    const { clock, pacer } = allowOne();
    (await pacer.take(1)).done();
    await clock.advance(1);
    expect((await pacer.take(1)).begin()).toBe(true);
    expect(clock.monotonicMs()).toBe(1);
  });

  it("is over with what was allowed, also when there is more", async () => {
    const { clock, pacer } = allowOne();
    const [first, second] = [await pacer.take(1), pacer.take(1)];
    await clock.advance(5_000);
    expect(first.begin()).toBe(false);
    pacer.allow({ perSecond: 1, ofAll: 1, untilMs: 9_000 });
    expect(first.begin()).toBe(false);
    first.done();
    await clock.advance(1);
    expect((await second).begin()).toBe(true);
  });

  it("counts as arrived a second after its beginning, where others are to send", async () => {
    const { pacer } = allowOne();
    (await pacer.take(1)).begin();
    expect(pacer.quietAtMs(1)).toBe(2_000);
    expect(pacer.quietAtMs(0)).toBe(Number.NEGATIVE_INFINITY);
  });
});
