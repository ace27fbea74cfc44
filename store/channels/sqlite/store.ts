import type { SqliteStore } from "../../sql/sqlite/sqlite.ts";
import { type ChannelsOperations, channelFaults, operations } from "../sql/sql.ts";

/** Identifies the file as this store: the letters "CHNL". */
const applicationId = 0x43_48_4e_4c;

/**
 * Forward migrations. The version of a file is the number of migrations it has had (`PRAGMA
 * user_version`). A published migration never changes.
 */
const migrations: readonly string[] = [
  `CREATE TABLE channels (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL UNIQUE,
     project_id INTEGER NOT NULL,
     definition BLOB NOT NULL,
     version INTEGER NOT NULL,
     created_at_ms INTEGER NOT NULL,
     updated_at_ms INTEGER NOT NULL
   ) STRICT;

   CREATE TABLE tasks (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     channel_seq INTEGER NOT NULL,
     definition BLOB NOT NULL,
     state TEXT NOT NULL,
     failure TEXT NOT NULL,
     version INTEGER NOT NULL,
     created_at_ms INTEGER NOT NULL,
     next_run_at_ms INTEGER,
     run_id TEXT,
     run_seq INTEGER,
     run_day TEXT NOT NULL,
     run_day_count INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX tasks_due ON tasks (next_run_at_ms) WHERE next_run_at_ms IS NOT NULL;
   CREATE INDEX tasks_channel ON tasks (channel_seq, seq);
   CREATE INDEX tasks_run ON tasks (run_seq);

   CREATE TABLE runs (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     run_id TEXT NOT NULL UNIQUE,
     task_seq INTEGER NOT NULL,
     channel_seq INTEGER NOT NULL,
     state TEXT NOT NULL,
     failure TEXT NOT NULL,
     channel BLOB NOT NULL,
     position TEXT,
     batches INTEGER NOT NULL,
     batched INTEGER NOT NULL,
     planned INTEGER NOT NULL,
     filtered INTEGER NOT NULL,
     control INTEGER NOT NULL,
     started_at_ms INTEGER NOT NULL,
     prepared_at_ms INTEGER,
     ended_at_ms INTEGER,
     is_open INTEGER NOT NULL,
     has_bodies INTEGER NOT NULL,
     is_pruned INTEGER NOT NULL,
     lease_key INTEGER NOT NULL,
     lease_until_ms INTEGER NOT NULL,
     lease_owner TEXT NOT NULL
   ) STRICT;
   CREATE INDEX runs_open ON runs (channel_seq) WHERE is_open = 1;
   CREATE INDEX runs_preparing ON runs (seq) WHERE state = 'preparing';
   CREATE INDEX runs_left ON runs (seq) WHERE has_bodies = 1;
   CREATE INDEX runs_ended ON runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

   CREATE TABLE batches (
     run_seq INTEGER NOT NULL,
     number INTEGER NOT NULL,
     channel_seq INTEGER NOT NULL,
     request_id TEXT NOT NULL,
     size INTEGER NOT NULL,
     note TEXT NOT NULL,
     state TEXT NOT NULL,
     is_open INTEGER NOT NULL,
     due_at_ms INTEGER NOT NULL,
     attempts INTEGER NOT NULL,
     settled_attempts INTEGER NOT NULL,
     retries INTEGER NOT NULL,
     is_sent INTEGER NOT NULL,
     lease_key INTEGER NOT NULL,
     lease_owner TEXT NOT NULL,
     last_failure TEXT NOT NULL,
     failed_items TEXT,
     PRIMARY KEY (run_seq, number)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX batches_due ON batches (channel_seq, due_at_ms, run_seq, number) WHERE is_open = 1;
   CREATE INDEX batches_open ON batches (run_seq) WHERE is_open = 1;

   -- Separate from the batches, whose small rows change while these never do.
   CREATE TABLE bodies (
     run_seq INTEGER NOT NULL,
     number INTEGER NOT NULL,
     body BLOB NOT NULL,
     PRIMARY KEY (run_seq, number)
   ) STRICT;

   CREATE TABLE audience (
     run_seq INTEGER NOT NULL,
     page INTEGER NOT NULL,
     data BLOB NOT NULL,
     PRIMARY KEY (run_seq, page)
   ) STRICT;

   CREATE TABLE tallies (
     run_seq INTEGER NOT NULL,
     shard INTEGER NOT NULL,
     kind TEXT NOT NULL,
     reason TEXT NOT NULL,
     group_id TEXT NOT NULL,
     language TEXT NOT NULL,
     amount INTEGER NOT NULL,
     PRIMARY KEY (run_seq, shard, kind, reason, group_id, language)
   ) STRICT, WITHOUT ROWID;`,

  `-- Shares of processes in the rate of a channel; times are of the lease clock.
   CREATE TABLE shares (
     channel_seq INTEGER NOT NULL,
     share_key INTEGER NOT NULL,
     per_second INTEGER NOT NULL,
     held INTEGER NOT NULL,
     wanted INTEGER NOT NULL,
     until_ms INTEGER NOT NULL,
     PRIMARY KEY (channel_seq, share_key)
   ) STRICT, WITHOUT ROWID;`,

  `-- Whether the open attempt is counted. Attempts open before this version were counted when they were leased.
   ALTER TABLE batches ADD COLUMN is_begun INTEGER NOT NULL DEFAULT 0;
   UPDATE batches SET is_begun = 1 WHERE is_open = 1 AND state = 'in_flight';
   -- When a call last began by a share, by the lease clock; unknown for existing rows.
   ALTER TABLE shares ADD COLUMN begun_at_ms INTEGER NOT NULL DEFAULT 0;
   UPDATE shares SET begun_at_ms = 9007199254740991;
   CREATE TABLE clock (
     id INTEGER PRIMARY KEY,
     clock_ms INTEGER NOT NULL,
     boot_id TEXT NOT NULL,
     uptime_ms INTEGER NOT NULL
   ) STRICT;`,

  `-- The trace in which a run began; earlier runs have none.
   ALTER TABLE runs ADD COLUMN trace TEXT;`,

  `-- What batches are sent from; those of earlier versions have bodies.
   CREATE TABLE payloads (
     run_seq INTEGER NOT NULL,
     number INTEGER NOT NULL,
     payload BLOB NOT NULL,
     PRIMARY KEY (run_seq, number)
   ) STRICT;`,

  `-- A row of batches may be a page: several batches of the same size. NULL in progress: a single batch.
   ALTER TABLE batches ADD COLUMN batch_count INTEGER NOT NULL DEFAULT 1;
   ALTER TABLE batches ADD COLUMN progress TEXT;
   -- What does not change of pages; no payload: nothing is left to send.
   CREATE TABLE pages (
     run_seq INTEGER NOT NULL,
     number INTEGER NOT NULL,
     parts TEXT NOT NULL,
     payload BLOB,
     PRIMARY KEY (run_seq, number)
   ) STRICT;`,
];

export const channelStore: SqliteStore & { readonly operations: ChannelsOperations } = {
  faults: channelFaults,
  operations,
  applicationId,
  migrations,
  storesData: new Set<keyof ChannelsOperations>([
    "appendBatches",
    "claimDueTask",
    "createChannel",
    "createTask",
    "startRun",
    "updateChannel",
  ]),
  // A power failure may undo these: a restart of the computer takes longer than their purpose lasts, and a start ends
  // all leases. The rest reads only.
  unsynced: new Set<keyof ChannelsOperations>([
    "beginBatches",
    "extendBatches",
    "extendPreparation",
    "findChannel",
    "findRun",
    "findTask",
    "leaseBatches",
    "readAudience",
    "saveClock",
    "statistics",
  ]),
  numbered: ["channels", "tasks", "runs"],
};
