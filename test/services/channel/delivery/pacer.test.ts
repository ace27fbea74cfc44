import { describe, expect, it } from "vitest";
import { Pacer } from "../../../../services/channel/delivery/pacer.ts";
import type { SharedSlots } from "../../../../store/channels/channels.ts";
import { takeSlots } from "../../../../store/channels/postgres/take-slots.ts";
import { FakeClock } from "./fake-clock.ts";
import { mostInSecond } from "./most-within.ts";

/** Slots as a store gives them. */
function slotsOf(clock: FakeClock): SharedSlots {
  let state: Parameters<typeof takeSlots>[0] = null;
  const reserve: SharedSlots["reserve"] = async (request) => {
    const nowUs = clock.monotonic() * 1_000;
    const taken = takeSlots(state, request, nowUs);
    state = taken.state;
    return { delaysMs: taken.atUs.map((at) => (at - nowUs) / 1_000), retryAfterMs: taken.retryAfterMs };
  };
  return { reserve };
}

/** The times at which so many sends were let go within a time. */
function open(perSecond: number, waiting: number) {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const pacer = new Pacer({
    slots: slotsOf(clock),
    clock,
    channelId: "c1",
    perSecond,
    signal: stopping.signal,
  });
  const times: number[] = [];
  const send = () => pacer.take().then(() => times.push(clock.monotonic()));
  const sends = Promise.allSettled(Array.from({ length: waiting }, send));
  return { clock, times, stopping, sends, send };
}

describe("a rate of requests", () => {
  it.each([1, 2, 10, 333])("of %d is reached and never passed in any second", async (perSecond) => {
    const { clock, times } = open(perSecond, 5 * perSecond);
    await clock.advance(5_200);
    expect(mostInSecond(times)).toBeLessThanOrEqual(perSecond);
    expect(times.length).toBeGreaterThanOrEqual(0.95 * 5 * perSecond);
  });

  it("is kept when the process stalls", async () => {
    const { clock, times } = open(100, 600);
    for (const stallMs of [30, 39, 500, 41, 900]) {
      await clock.advance(400);
      clock.stall(stallMs);
    }
    await clock.advance(2_000);
    expect(mostInSecond(times)).toBeLessThanOrEqual(100);
    expect(times.length).toBeGreaterThan(200);
  });

  it("is kept behind a pause", async () => {
    const { clock, times, send } = open(10, 10);
    await clock.advance(5_000);
    for (let i = 0; i < 30; i++) void send();
    await clock.advance(5_000);
    expect(times).toHaveLength(40);
    expect(mostInSecond(times)).toBe(10);
  });

  it("lets go of who waits when it is to stop", async () => {
    const { clock, stopping, sends } = open(1, 3);
    await clock.advance(10);
    stopping.abort(new Error("stopping"));
    await clock.advance(1);
    const states = (await sends).map(({ status }) => status);
    expect(states).toEqual(["fulfilled", "rejected", "rejected"]);
  });
});
