import type { SqliteStore } from "../../sql/sqlite/sqlite.ts";
import { channelFaults } from "../faults.ts";
import { type ChannelsOperations, operations } from "../sql/operations.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

export const channelStore: SqliteStore & { readonly operations: ChannelsOperations } = {
  faults: channelFaults,
  operations,
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  storesData: new Set<keyof ChannelsOperations>([
    "appendBatches",
    "claimDueTask",
    "createChannel",
    "createTask",
    "startRun",
    "updateChannel",
  ]),
  // A power cut may undo them: a computer that starts again takes longer than what they are for.
  unsynced: new Set<keyof ChannelsOperations>(["beginBatches", "saveClock"]),
  numbered: ["channels", "tasks", "runs"],
};
