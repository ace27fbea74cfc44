import { describe } from "vitest";
import { testBatches } from "./channels/batches.ts";
import { testChannels } from "./channels/channels.ts";
import { testPreparation } from "./channels/prepare.ts";
import { testChannelShares } from "./channels/shares.ts";
import { type ChannelsPlace, type OpenWorld, openWorld } from "./channels/store.ts";
import { testTasks } from "./channels/tasks.ts";
import { testUpkeep } from "./channels/upkeep.ts";

/** What every driver of the store of channels does, whatever it keeps them in. */
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
