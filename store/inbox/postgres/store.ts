import type { PostgresStore } from "../../sql/postgres/store.ts";
import { inboxFaults } from "../faults.ts";
import { type InboxOperations, operations } from "../sql/operations.ts";
import { MIGRATIONS } from "./schema.ts";

export const inboxStore: PostgresStore & { readonly operations: InboxOperations } = {
  faults: inboxFaults,
  operations,
  unsynced: new Set<keyof InboxOperations>(["begin", "extend"]),
  migrations: MIGRATIONS,
  tableOf: (name) => name,
};
