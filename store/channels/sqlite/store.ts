import type { SqliteStore } from "../../sql/sqlite/store.ts";
import { channelFaults } from "../faults.ts";
import { type ChannelsOperations, operations } from "../sql/operations.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

export const channelStore: SqliteStore & { readonly operations: ChannelsOperations } = {
  faults: channelFaults,
  operations,
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  bringing: new Set<keyof ChannelsOperations>([
    "appendBatches",
    "claimDueTask",
    "createChannel",
    "createTask",
    "startRun",
    "updateChannel",
  ]),
  // A power cut may undo them: a computer that starts again takes longer than what they are for.
  lazy: new Set<keyof ChannelsOperations>(["beginBatches", "keepClock"]),
  numbered: ["channels", "tasks", "runs"],
};
