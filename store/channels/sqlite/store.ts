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
  numbered: ["channels", "tasks", "runs"],
};
