import { describe } from "vitest";
import { testBatches } from "./channels/batches.ts";
import { testChannels } from "./channels/channels.ts";
import { testPreparation } from "./channels/prepare.ts";
import { testChannelShares } from "./channels/shares.ts";
import { type ChannelsPlace, type OpenWorld, openWorld } from "./channels/store.ts";
import { testTasks } from "./channels/tasks.ts";
import { testUpkeep } from "./channels/upkeep.ts";

/** Tests that every driver of the channel store must pass. */
export function testChannelStore(name: string, createPlace: () => Promise<ChannelsPlace>): void {
  const open: OpenWorld = async (retentionMs) => openWorld(await createPlace(), retentionMs);
  describe(name, () => {
    testChannels(open);
    testTasks(open);
    testPreparation(open);
    testBatches(open);
    testUpkeep(open);
    testChannelShares(open);
  });
}
