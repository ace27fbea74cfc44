import type { SqliteStore } from "../../sql/sqlite/sqlite.ts";
import { operations, type SavedQueryOperations, savedQueryFaults } from "../operations.ts";

/** Identifies the file as this store: the letters "QRYS". */
const applicationId = 0x51_52_59_53;

/**
 * Forward migrations. The version of a file is the number of migrations it has had (`PRAGMA
 * user_version`). A published migration never changes.
 */
const migrations: readonly string[] = [
  `CREATE TABLE queries (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     project_id INTEGER NOT NULL,
     name TEXT NOT NULL,
     description TEXT NOT NULL,
     request TEXT NOT NULL,
     version INTEGER NOT NULL,
     created_at_ms INTEGER NOT NULL,
     updated_at_ms INTEGER NOT NULL,
     UNIQUE (project_id, name)
   ) STRICT;`,
];

export const savedQueryStore: SqliteStore & { readonly operations: SavedQueryOperations } = {
  faults: savedQueryFaults,
  operations,
  applicationId,
  migrations,
  storesData: new Set<keyof SavedQueryOperations>(["create", "update"]),
  numbered: ["queries"],
};
