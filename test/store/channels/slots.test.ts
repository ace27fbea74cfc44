import fc from "fast-check";
import { expect, it } from "vitest";
import { type SlotState, takeSlots } from "../../../store/channels/postgres/take-slots.ts";

const rates = fc.constantFrom(1, 3, 10, 997, 10_000);
const call = fc.record({
  count: fc.integer({ min: 1, max: 50 }),
  waitUs: fc.integer({ min: 0, max: 2_000_000 }),
});

it("has at most so many slots in any window, whenever they are asked for", () => {
  fc.assert(
    fc.property(rates, fc.array(call, { maxLength: 40 }), (perSecond, calls) => {
      let state: SlotState | null = null;
      let nowUs = 0;
      const slots: number[] = [];
      for (const { count, waitUs } of calls) {
        nowUs += waitUs;
        const taken = takeSlots(state, { channelId: "c1", count, perSecond }, nowUs);
        expect(taken.atUs.every((at) => at >= nowUs)).toBe(true);
        slots.push(...taken.atUs);
        state = taken.state;
      }
      const gaps = slots.slice(perSecond).map((at, i) => at - slots[i]!);
      expect(gaps.every((gap) => gap >= 1_000_000)).toBe(true);
    }),
  );
});

it("begins a window of its own when the limit changes", () => {
  const before = takeSlots(null, { channelId: "c1", count: 100, perSecond: 100 }, 0);
  const after = takeSlots(before.state, { channelId: "c1", count: 2, perSecond: 10 }, 0);
  expect(after.atUs).toEqual([990_000 + 1_000_000, 990_000 + 1_100_000]);
});

it("does not wait for a clock that was set back", () => {
  const hour = 3_600_000_000;
  const before = takeSlots(null, { channelId: "c1", count: 1, perSecond: 1 }, hour);
  expect(takeSlots(before.state, { channelId: "c1", count: 1, perSecond: 1 }, 0).atUs).toEqual([1_000_000]);
});

it("stretches the window by what senders may be late", () => {
  const { atUs } = takeSlots(null, { channelId: "c1", count: 3, perSecond: 2, windowMs: 1_050 }, 0);
  expect(atUs).toEqual([0, 525_000, 1_050_000]);
});
