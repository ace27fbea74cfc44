import { describe, expect, it } from "vitest";
import type { OpenWorld } from "./store.ts";

/** Of drivers that several processes may use at a time. */
export function testSlots(open: OpenWorld): void {
  describe("slots", () => {
    it("are a window apart from the one so many before, whoever asks", async () => {
      await using world = await open();
      const request = { channelId: "c1", count: 5, perSecond: 10, windowMs: 1_000 };
      const [first, second] = [
        await world.store.slots!.reserve(request),
        await world.store.slots!.reserve(request),
      ];
      expect([first.delaysMs.length, second.delaysMs.length]).toEqual([5, 5]);
      const steps = first.delaysMs.slice(1).map((delay, i) => Math.round(delay - first.delaysMs[i]!));
      expect(steps).toEqual([100, 100, 100, 100]);
      // What has passed between the calls can only make the second's delays shorter.
      expect(second.delaysMs[0]! - first.delaysMs[4]!).toBeLessThanOrEqual(100.01);
      const other = await world.store.slots!.reserve({ ...request, channelId: "c2", count: 1 });
      expect(other.delaysMs[0]).toBeLessThan(second.delaysMs[4]!);
    });

    it("reach a minute ahead at most", async () => {
      await using world = await open();
      const request = { channelId: "c1", count: 100, perSecond: 1 };
      const { delaysMs, retryAfterMs } = await world.store.slots!.reserve(request);
      expect(delaysMs.length).toBeGreaterThan(57);
      expect(delaysMs.length).toBeLessThan(63);
      expect(delaysMs.at(-1)).toBeLessThanOrEqual(60_000);
      expect(retryAfterMs).toBeGreaterThan(0);
    });

    it.each([
      ["count", { count: 0 }],
      ["perSecond", { perSecond: 10_001 }],
      ["perSecond", { perSecond: -1 }],
    ])("refuse a bad %s", async (field, changes) => {
      await using world = await open();
      const request = { channelId: "c1", count: 1, perSecond: 1, ...changes };
      await expect(world.store.slots!.reserve(request)).rejects.toThrow(field);
    });
  });
}

/** Of drivers that one process has for itself. */
export function testAlone(open: OpenWorld): void {
  it("has no slots, since nobody else can send", async () => {
    await using world = await open();
    expect(world.store.slots).toBeNull();
  });
}
