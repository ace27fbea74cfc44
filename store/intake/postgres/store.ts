import { LeaseLostError } from "../../leases/leases.ts";
import type { StoreFaults } from "../../sql/faults.ts";
import type { PostgresStore } from "../../sql/postgres/store.ts";
import { IntakeBehindError, IntakeOpenError, IntakeUnavailableError } from "../intake.ts";
import { readBatch } from "./read-batch.ts";
import { markUnreported, preparedTo, rewind, spillUuids } from "./rewind.ts";
import { readUuidBatches } from "./uuid-batches.ts";
import { writeBatch } from "./write-batch.ts";

const faults: StoreFaults = {
  noun: "intake",
  ifNotDurable: "after a crash a user id could be assigned twice",
  ifDamaged: "restore it",
  OpenError: IntakeOpenError,
  UnavailableError: IntakeUnavailableError,
  FullError: IntakeUnavailableError,
  requestErrors: [IntakeBehindError, LeaseLostError, RangeError],
};

const operations = {
  markUnreported,
  preparedTo,
  readBatch,
  readUuidBatches,
  rewind,
  spillUuids,
  writeBatch,
};

/**
 * Forward migrations. The version of a schema is the number of migrations it has had (its table
 * `intake_version`). The tables of uuids, `intake_uuids_<spool>_<day>`, are created when they are used.
 * `seq` is the place at which the batch that wrote the row began. Ids are bytes of UTF-8, since a text
 * cannot hold NUL. A published migration never changes.
 */
const migrations: readonly string[] = [
  `-- Prepared: the end of the last batch. Version: counts the changes, so that none is based on an old state.
   CREATE TABLE {spools} (
     spool bigint PRIMARY KEY,
     prepared bigint,
     version bigint NOT NULL
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

   -- The records of a project are all in one spool.
   CREATE TABLE {projects} (
     project bigint PRIMARY KEY,
     spool bigint NOT NULL,
     users bigint NOT NULL
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
   CREATE INDEX intake_projects_spool ON {projects} (spool);

   CREATE TABLE {accounts} (
     project bigint NOT NULL,
     id bytea NOT NULL,
     user_id bigint NOT NULL,
     seq bigint NOT NULL,
     PRIMARY KEY (project, id)
   );

   -- Bound: the visitor's user has an account.
   CREATE TABLE {visitors} (
     project bigint NOT NULL,
     id bytea NOT NULL,
     user_id bigint NOT NULL,
     seq bigint NOT NULL,
     bound smallint NOT NULL,
     PRIMARY KEY (project, id)
   ) WITH (fillfactor = 90);

   CREATE TABLE {first_checks} (
     project bigint NOT NULL,
     event bytea NOT NULL,
     id bytea NOT NULL,
     seq bigint NOT NULL,
     PRIMARY KEY (project, event, id)
   );
   CREATE INDEX intake_first_checks_seq ON {first_checks} (project, seq);

   -- Day: of the steady time, in days since 1970. Last seq: of the rows.
   CREATE TABLE {uuid_tables} (
     spool bigint NOT NULL,
     day bigint NOT NULL,
     uuids bigint NOT NULL,
     last_seq bigint NOT NULL,
     PRIMARY KEY (spool, day)
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);`,

  `-- Claims of uuids of a data folder that was moved: the first 8 bytes of the hashes, of all projects.
   CREATE TABLE {moved_uuids} (
     hash bytea PRIMARY KEY,
     time_ms bigint NOT NULL
   );
   -- The time of the last one; null when the window after it has passed, and in a spool without any.
   ALTER TABLE {spools} ADD COLUMN moved_until_ms bigint;`,

  `-- The claims of uuids of one batch: the hashes one after the other, then their times as doubles. Hashes are random.
   CREATE TABLE {uuid_batches} (
     spool bigint NOT NULL,
     seq bigint NOT NULL,
     first_ms bigint NOT NULL,
     last_ms bigint NOT NULL,
     claims bytea NOT NULL,
     PRIMARY KEY (spool, seq)
   );
   ALTER TABLE {uuid_batches} ALTER COLUMN claims SET STORAGE EXTERNAL;
   -- A loader of the version before does not find those claims. It fails, so that it takes no uuid again.
   ALTER TABLE {uuid_tables} RENAME COLUMN uuids TO claims;`,
];

export const intakeStore: PostgresStore & { readonly operations: typeof operations } = {
  faults,
  operations,
  migrations,
  tableOf: (name) => `intake_${name}`,
};

export type IntakeOperations = typeof operations;
