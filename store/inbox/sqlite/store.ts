import type { SqliteStore } from "../../sql/sqlite/store.ts";
import { inboxFaults } from "../faults.ts";
import { type InboxOperations, operations } from "../sql/operations.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

export const inboxStore: SqliteStore & { readonly operations: InboxOperations } = {
  faults: inboxFaults,
  operations,
  lazy: new Set<keyof InboxOperations>(["begin", "extend", "keepClock", "lease"]),
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  bringing: new Set<keyof InboxOperations>(["accept"]),
  numbered: ["batches"],
};
