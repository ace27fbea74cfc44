import type { StoreFaults } from "../../sql/faults.ts";
import type { PostgresStore } from "../../sql/postgres/store.ts";
import { LeaseLostError, LeasesOpenError, LeasesUnavailableError } from "../leases.ts";
import { operations } from "./operations.ts";

const faults: StoreFaults = {
  noun: "lease store",
  ifNotDurable: "after a crash two processes could hold one lease",
  ifDamaged: "restore it",
  OpenError: LeasesOpenError,
  UnavailableError: LeasesUnavailableError,
  FullError: LeasesUnavailableError,
  requestErrors: [LeaseLostError, RangeError],
};

/**
 * Forward migrations. The version of a schema is the number of migrations it has had (its table
 * `lease_version`). A published migration never changes.
 */
const migrations: readonly string[] = [
  `-- Rows are never deleted, so that tokens only grow. Times are milliseconds of the database's clock.
   -- Only the primary key is indexed: a renewal does not conflict with the key lock of a fence.
   CREATE TABLE {leases} (
     name text COLLATE "C" PRIMARY KEY,
     token bigint NOT NULL,
     holder text NOT NULL,
     until_ms bigint NOT NULL
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);`,
];

export const leaseStore: PostgresStore & { readonly operations: typeof operations } = {
  faults,
  operations,
  migrations,
  tableOf: (name) => `lease_${name}`,
};
