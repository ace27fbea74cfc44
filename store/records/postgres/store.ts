import { LeaseLostError } from "../../leases/leases.ts";
import type { StoreFaults } from "../../sql/faults.ts";
import type { PostgresStore } from "../../sql/postgres/store.ts";
import { RecordsOpenError, RecordsUnavailableError } from "../records.ts";
import { operations } from "./operations.ts";

const faults: StoreFaults = {
  noun: "record spool",
  ifNotDurable: "a crash would lose accepted records",
  ifDamaged: "restore it",
  OpenError: RecordsOpenError,
  UnavailableError: RecordsUnavailableError,
  FullError: RecordsUnavailableError,
  requestErrors: [LeaseLostError, RangeError],
};

/**
 * Forward migrations. The version of a schema is the number of migrations it has had (its table
 * `record_version`). The tables of records, `records_<project>_<number>`, are created when they are
 * used. A published migration never changes.
 */
const migrations: readonly string[] = [
  `-- The table in use of each project, and the bytes of its records. Each append updates a row in place.
   CREATE TABLE {heads} (
     project bigint PRIMARY KEY,
     number bigint NOT NULL,
     size bigint NOT NULL
   ) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

   -- Full tables, until they are dropped.
   CREATE TABLE {tables} (
     project bigint NOT NULL,
     number bigint NOT NULL,
     size bigint NOT NULL,
     PRIMARY KEY (project, number)
   );`,

  `-- Up to where a reader has come, by its name.
   CREATE TABLE {cursors} (
     name text COLLATE "C" PRIMARY KEY,
     number bigint NOT NULL,
     place bigint NOT NULL
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);`,
];

export const recordStore: PostgresStore & { readonly operations: typeof operations } = {
  faults,
  operations,
  migrations,
  single: new Set(["append", "tables", "read", "notifyReaders"]),
  tableOf: (name) => (name.startsWith("records_") ? name : `record_${name}`),
};
