import type { SqliteStore } from "../../sql/sqlite/sqlite.ts";
import { type InboxOperations, inboxFaults, operations } from "../sql/sql.ts";

/** Identifies the file as an inbox: the letters "INBX". */
const applicationId = 0x49_4e_42_58;

/**
 * Forward migrations. The version of a file is the number of migrations it has had (`PRAGMA
 * user_version`). A published migration never changes.
 */
const migrations: readonly string[] = [
  `CREATE TABLE batches (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     channel TEXT NOT NULL,
     request_id TEXT,
     claim_key BLOB,
     accepted_at_ms INTEGER NOT NULL,
     in_flight_until_ms INTEGER,
     finished_at_ms INTEGER,
     routes TEXT NOT NULL
   ) STRICT;
   CREATE INDEX batches_finished ON batches (finished_at_ms) WHERE finished_at_ms IS NOT NULL;
   CREATE INDEX batches_in_flight ON batches (in_flight_until_ms) WHERE in_flight_until_ms IS NOT NULL;

   -- Separate from the batches, whose small rows change while these never do.
   CREATE TABLE bodies (
     batch_seq INTEGER PRIMARY KEY,
     elements BLOB NOT NULL,
     body BLOB NOT NULL
   ) STRICT;

   CREATE TABLE claims (
     channel TEXT NOT NULL,
     claim_key BLOB NOT NULL,
     sha256 BLOB NOT NULL,
     reply BLOB,
     batch_seq INTEGER NOT NULL,
     accepted_at_ms INTEGER NOT NULL,
     owned_until_ms INTEGER NOT NULL,
     expires_at_ms INTEGER NOT NULL,
     PRIMARY KEY (channel, claim_key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX claims_expiry ON claims (expires_at_ms);

   CREATE TABLE work (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     batch_seq INTEGER NOT NULL,
     channel TEXT NOT NULL,
     target TEXT NOT NULL,
     element_indexes TEXT NOT NULL,
     element_count INTEGER NOT NULL,
     attempt INTEGER NOT NULL,
     due_at_ms INTEGER NOT NULL,
     leased INTEGER NOT NULL,
     lease_key INTEGER NOT NULL,
     reason TEXT,
     is_ordered INTEGER NOT NULL,
     replay TEXT,
     body_bytes INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX work_due ON work (target, due_at_ms, id);
   CREATE INDEX work_batch ON work (batch_seq);

   CREATE TABLE line (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     target TEXT NOT NULL,
     push_key BLOB NOT NULL,
     batch_seq INTEGER NOT NULL,
     element_index INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX line_push ON line (target, push_key, position);
   CREATE INDEX line_batch ON line (batch_seq, target);

   CREATE TABLE dead (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     batch_seq INTEGER NOT NULL,
     element_index INTEGER NOT NULL,
     channel TEXT NOT NULL,
     target TEXT NOT NULL,
     push_id TEXT NOT NULL,
     reason TEXT NOT NULL,
     attempts INTEGER NOT NULL,
     accepted_at_ms INTEGER NOT NULL,
     died_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX dead_delivery ON dead (batch_seq, target, element_index);
   CREATE INDEX dead_time ON dead (died_at_ms);

   CREATE TABLE replays (
     nonce TEXT PRIMARY KEY,
     replayed INTEGER NOT NULL,
     replayed_at_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE books (
     channel TEXT NOT NULL,
     target TEXT NOT NULL,
     shard INTEGER NOT NULL,
     accepted INTEGER NOT NULL,
     delivered INTEGER NOT NULL,
     dead INTEGER NOT NULL,
     pending INTEGER NOT NULL,
     PRIMARY KEY (channel, target, shard)
   ) STRICT, WITHOUT ROWID;`,
  `-- Checksums; earlier rows have none.
   ALTER TABLE bodies ADD COLUMN elements_crc INTEGER;
   ALTER TABLE bodies ADD COLUMN body_crc INTEGER;
   ALTER TABLE claims ADD COLUMN reply_crc INTEGER;

   -- Attempts are counted when a call begins, no longer when work is leased.
   ALTER TABLE work ADD COLUMN begun TEXT NOT NULL DEFAULT '';
   ALTER TABLE work ADD COLUMN suspect INTEGER NOT NULL DEFAULT 0;
   UPDATE work SET attempt = attempt - 1, suspect = 1 WHERE leased = 1;

   -- Times of the store's clock, which starts with the time of the computer.
   ALTER TABLE batches ADD COLUMN clock_ms INTEGER NOT NULL DEFAULT 0;
   UPDATE batches SET clock_ms = accepted_at_ms;
   ALTER TABLE dead ADD COLUMN kept_from_ms INTEGER NOT NULL DEFAULT 0;
   UPDATE dead SET kept_from_ms = died_at_ms;
   CREATE INDEX dead_kept ON dead (kept_from_ms);
   CREATE TABLE clock (
     id INTEGER PRIMARY KEY,
     clock_ms INTEGER NOT NULL,
     boot_id TEXT NOT NULL,
     uptime_ms INTEGER NOT NULL
   ) STRICT;

   -- An element in delivery stays first of its push id, even when one with a smaller position is added.
   ALTER TABLE line ADD COLUMN in_flight INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX line_in_flight ON line (target, push_key) WHERE in_flight = 1;

   -- Shares of processes in the rate of a target.
   CREATE TABLE target_shares (
     name TEXT NOT NULL,
     share_key INTEGER NOT NULL,
     per_second INTEGER NOT NULL,
     held INTEGER NOT NULL,
     wanted INTEGER NOT NULL,
     until_ms INTEGER NOT NULL,
     PRIMARY KEY (name, share_key)
   ) STRICT, WITHOUT ROWID;`,
  `-- The reply and how the batch was authenticated; earlier rows have neither, but a kept key has its reply.
   ALTER TABLE batches ADD COLUMN reply BLOB;
   ALTER TABLE batches ADD COLUMN auth TEXT;

   -- Lists of batches are by time of acceptance.
   CREATE INDEX batches_time ON batches (accepted_at_ms, seq);
   CREATE INDEX batches_channel ON batches (channel, accepted_at_ms, seq);
   CREATE INDEX batches_request ON batches (request_id, accepted_at_ms, seq) WHERE request_id IS NOT NULL;`,
  `-- The attempts which one settlement has ended, as JSON.
   CREATE TABLE attempts (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     batch_seq INTEGER NOT NULL,
     target TEXT NOT NULL,
     attempt INTEGER NOT NULL,
     is_before_replay INTEGER NOT NULL DEFAULT 0,
     content TEXT NOT NULL
   ) STRICT;
   CREATE INDEX attempts_batch ON attempts (batch_seq, target);`,
  `-- The trace of the call that brought the batch; earlier rows have none.
   ALTER TABLE batches ADD COLUMN trace TEXT;`,
  `-- The size of a compressed body before; null: it is stored as it came.
   ALTER TABLE bodies ADD COLUMN body_bytes INTEGER;`,
  "-- The digest of a claim may be empty: the body of its batch is compared, which earlier versions do not.",
];

export const inboxStore: SqliteStore & { readonly operations: InboxOperations } = {
  faults: inboxFaults,
  operations,
  unsynced: new Set<keyof InboxOperations>(["addAttempts", "begin", "extend", "saveClock", "lease"]),
  applicationId,
  migrations,
  storesData: new Set<keyof InboxOperations>(["accept"]),
  numbered: ["batches"],
};
