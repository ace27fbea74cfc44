import { describe, expect, it } from "vitest";
import { type SharesWorld, testShares } from "../shares.ts";
import { addChannel, type OpenWorld } from "./store.ts";

const leaseMs = 10_000;

export function testChannelShares(open: OpenWorld): void {
  testShares(async (): Promise<SharesWorld> => {
    const world = await open();
    return {
      clock: world.clock,
      async rate(name) {
        const channelId = await addChannel(world.store, name);
        return {
          shareRate: (asked) => world.store.shareRate({ ...asked, channelId }),
          leaveRate: (token, afterMs) => world.store.leaveRate(channelId, token, afterMs),
        };
      },
      [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
    };
  });

  describe("shares of a channel's rate", () => {
    it("are gone with their channel", async () => {
      await using world = await open();
      const { store } = world;
      const channelId = await addChannel(store);
      const asked = { channelId, perSecond: 10, wanted: 10, leaseMs };
      await store.shareRate({ ...asked, held: 0 });
      await store.deleteChannel(channelId, undefined);
      expect(await store.shareRate({ ...asked, held: 0 })).toMatchObject({ held: 10 });
    });
  });
}
