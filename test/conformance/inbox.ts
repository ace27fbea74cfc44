import { describe } from "vitest";
import { testAccept } from "./inbox/accept.ts";
import { testAttempts } from "./inbox/attempts.ts";
import { testBegun } from "./inbox/begun.ts";
import { testBodies } from "./inbox/bodies.ts";
import { testClocks } from "./inbox/clocks.ts";
import { testCounts } from "./inbox/counts.ts";
import { testDamage } from "./inbox/damage.ts";
import { testDeadLetters } from "./inbox/dead-letters.ts";
import { testDeliveries } from "./inbox/deliveries.ts";
import { testKeys } from "./inbox/keys.ts";
import { testLease } from "./inbox/lease.ts";
import { testOrder } from "./inbox/order.ts";
import { testPrune } from "./inbox/prune.ts";
import { testReceived } from "./inbox/received.ts";
import { testSettle } from "./inbox/settle.ts";
import { type InboxStore, type OpenWorld, openWorld } from "./inbox/store.ts";
import { testTimeline } from "./inbox/timeline.ts";
import { type SharesWorld, testShares } from "./shares.ts";

/** Tests that every driver of the inbox must pass. */
export function testInbox(name: string, createStore: () => Promise<InboxStore>): void {
  const open: OpenWorld = async (retention) => openWorld(await createStore(), retention);
  describe(name, () => {
    testAccept(open);
    testKeys(open);
    testBegun(open);
    testBodies(open);
    testLease(open);
    testAttempts(open);
    testSettle(open);
    testOrder(open);
    testDeadLetters(open);
    testReceived(open);
    testTimeline(open);
    testDeliveries(open);
    testDamage(open);
    testPrune(open);
    testCounts(open);
    testClocks(open);
    testShares(() => openShares(open));
  });
}

async function openShares(open: OpenWorld): Promise<SharesWorld> {
  const world = await open();
  return {
    clock: world.clock,
    rate: async (name) => ({
      shareRate: (asked) => world.inbox.shareRate(name, asked),
      leaveRate: (token, afterMs) => world.inbox.leaveRate(name, token, afterMs),
    }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
