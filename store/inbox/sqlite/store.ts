import type { SqliteStore } from "../../sql/sqlite/sqlite.ts";
import { inboxFaults } from "../faults.ts";
import { type InboxOperations, operations } from "../sql/operations.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

export const inboxStore: SqliteStore & { readonly operations: InboxOperations } = {
  faults: inboxFaults,
  operations,
  unsynced: new Set<keyof InboxOperations>(["begin", "extend", "saveClock", "lease"]),
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  storesData: new Set<keyof InboxOperations>(["accept"]),
  numbered: ["batches"],
};
