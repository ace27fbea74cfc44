import { describe, expect, it } from "vitest";
import { addChannel, type OpenWorld } from "./store.ts";

const leaseMs = 10_000;

export function testShares(open: OpenWorld): void {
  describe("shares of a rate", () => {
    it("are never more than the rate together, and those of another channel are others", async () => {
      await using world = await open();
      const { store } = world;
      const channelId = await addChannel(store);
      const asked = { channelId, perSecond: 10, wanted: 10, leaseMs };
      const first = await store.shareRate({ ...asked, held: 0 });
      expect(first).toMatchObject({ held: 10, fair: 10, total: 10 });
      const second = await store.shareRate({ ...asked, held: 0 });
      expect(second).toMatchObject({ held: 0, fair: 5, total: 10 });
      const { token } = first;
      expect(await store.shareRate({ ...asked, token, held: 6 })).toEqual({
        ...{ token, held: 6, fair: 5, total: 6 },
      });
      expect(await store.shareRate({ ...asked, token: second.token, held: 0 })).toMatchObject({ held: 4 });
      const other = { ...asked, channelId: await addChannel(store, "other") };
      expect(await store.shareRate({ ...other, held: 0 })).toMatchObject({ held: 10 });
    });

    it("are others' when nothing is held and wanted any more", async () => {
      await using world = await open();
      const { store } = world;
      const asked = { channelId: await addChannel(store), perSecond: 10, leaseMs };
      const { token } = await store.shareRate({ ...asked, held: 0, wanted: 10 });
      expect(await store.shareRate({ ...asked, token, held: 10, wanted: 0 })).toMatchObject({ fair: 0 });
      await store.shareRate({ ...asked, token, held: 0, wanted: 0 });
      expect(await store.shareRate({ ...asked, held: 0, wanted: 10 })).toMatchObject({ held: 10 });
    });

    it("are others' some seconds behind the end of the lease", async () => {
      await using world = await open();
      const { store, clock } = world;
      const asked = { channelId: await addChannel(store), perSecond: 10, wanted: 10, leaseMs };
      await store.shareRate({ ...asked, held: 0 });
      clock.ms += leaseMs;
      const { token, ...share } = await store.shareRate({ ...asked, held: 0 });
      expect(share).toEqual({ held: 0, fair: 10, total: 10 });
      clock.ms += 5_000;
      expect(await store.shareRate({ ...asked, token, held: 0 })).toMatchObject({ held: 10 });
    });

    it("are others' at once, or after a while, when they are left", async () => {
      await using world = await open();
      const { store, clock } = world;
      const asked = { channelId: await addChannel(store), perSecond: 10, wanted: 10, leaseMs };
      const first = await store.shareRate({ ...asked, held: 0 });
      await store.leaveRate(asked.channelId, first.token, 0);
      const second = await store.shareRate({ ...asked, held: 0 });
      expect(second).toMatchObject({ held: 10 });
      await store.leaveRate(asked.channelId, second.token, 500);
      clock.ms += 500;
      const third = await store.shareRate({ ...asked, held: 0 });
      expect(third).toMatchObject({ held: 0, fair: 10 });
      clock.ms += 1_000;
      expect(await store.shareRate({ ...asked, token: third.token, held: 0 })).toMatchObject({ held: 10 });
    });

    it("are gone with their channel", async () => {
      await using world = await open();
      const { store } = world;
      const channelId = await addChannel(store);
      const asked = { channelId, perSecond: 10, wanted: 10, leaseMs };
      await store.shareRate({ ...asked, held: 0 });
      await store.deleteChannel(channelId, undefined);
      expect(await store.shareRate({ ...asked, held: 0 })).toMatchObject({ held: 10 });
    });

    it.each([
      ["perSecond", { perSecond: 0 }],
      ["perSecond", { perSecond: 10_001 }],
      ["held", { held: -1 }],
      ["wanted", { wanted: 1.5 }],
      ["leaseMs", { leaseMs: 60_001 }],
      ["token", { token: "no token" }],
    ])("refuse a bad %s", async (field, changes) => {
      await using world = await open();
      const request = { channelId: "c1", perSecond: 1, held: 0, wanted: 1, leaseMs, ...changes };
      await expect(world.store.shareRate(request)).rejects.toThrow(field);
    });
  });
}
