/**
 * Forward migrations. The version of a schema is the number of migrations it has had (its table
 * `ledger_version`). A published migration never changes.
 */
export const migrations: readonly string[] = [
  `-- The name of the store, by which servers of its events recognize it.
   CREATE TABLE {identity} (name text NOT NULL);
   INSERT INTO {identity} VALUES (gen_random_uuid()::text);

   -- The loaded part of each spool: everything before a place in it.
   CREATE TABLE {spools} (
     spool text COLLATE "C" PRIMARY KEY,
     file_number bigint,
     file_offset bigint
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

   -- Attempts to load a batch which are not done: in progress (open), given up (void), or rows which
   -- nothing refers to any more (replaced). The row of a batch that is done is deleted.
   CREATE TABLE {batches} (
     number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
     spool text COLLATE "C",
     token bigint NOT NULL,
     state text NOT NULL,
     begun_at_ms bigint NOT NULL,
     delete_at_ms bigint,
     deletions integer NOT NULL DEFAULT 0
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
   CREATE INDEX ledger_batches_spool ON {batches} (spool);

   CREATE TABLE {batch_projects} (
     project bigint NOT NULL,
     number bigint NOT NULL REFERENCES {batches} (number) ON DELETE CASCADE,
     is_hidden smallint NOT NULL,
     PRIMARY KEY (project, number)
   ) WITH (autovacuum_vacuum_scale_factor = 0.02);
   CREATE INDEX ledger_batch_projects_number ON {batch_projects} (number);

   -- Generation: grows with each change of names, properties, cohorts and dropped days.
   CREATE TABLE {projects} (
     project bigint PRIMARY KEY,
     version bigint NOT NULL,
     generation bigint NOT NULL,
     watermark bigint NOT NULL,
     dropped_before_ms bigint,
     dropped_watermark bigint,
     dropped_at_ms bigint
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

   CREATE TABLE {event_names} (
     project bigint NOT NULL,
     number bigint NOT NULL,
     name text COLLATE "C" NOT NULL,
     is_removed smallint NOT NULL DEFAULT 0,
     PRIMARY KEY (project, number)
   );
   CREATE UNIQUE INDEX ledger_event_names_name ON {event_names} (project, name) WHERE is_removed = 0;

   CREATE TABLE {properties} (
     project bigint NOT NULL,
     number bigint NOT NULL,
     owner text COLLATE "C" NOT NULL,
     name text COLLATE "C" NOT NULL,
     type text NOT NULL,
     object_group text COLLATE "C",
     is_removed smallint NOT NULL DEFAULT 0,
     PRIMARY KEY (project, number)
   );
   CREATE UNIQUE INDEX ledger_properties_name ON {properties} (project, owner, name) WHERE is_removed = 0;

   -- The number of events of each UTC day, without those that later records may change.
   CREATE TABLE {days} (
     project bigint NOT NULL,
     day integer NOT NULL,
     events bigint NOT NULL,
     is_settled smallint NOT NULL,
     PRIMARY KEY (project, day)
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

   CREATE TABLE {cohorts} (
     project bigint NOT NULL,
     name text COLLATE "C" NOT NULL,
     day text COLLATE "C" NOT NULL,
     kind text NOT NULL,
     members bigint NOT NULL,
     batch bigint NOT NULL,
     PRIMARY KEY (project, name, day)
   );

   -- Watermarks of the past, to know which rows no request needs any more.
   CREATE TABLE {marks} (
     project bigint NOT NULL,
     at_ms bigint NOT NULL,
     watermark bigint NOT NULL,
     PRIMARY KEY (project, at_ms)
   );`,

  `-- How often names of the project were removed. A batch that was prepared before does not count.
   ALTER TABLE {projects} ADD COLUMN removals bigint NOT NULL DEFAULT 0;

   -- The move of another store into this one: its source, which is random, and when it was complete.
   CREATE TABLE {moves} (
     source text NOT NULL,
     finished_at_ms bigint
   );

   -- The copied parts of the source. Stamp: another one when the part has changed.
   CREATE TABLE {moved_parts} (
     project bigint NOT NULL,
     name text COLLATE "C" NOT NULL,
     stamp text NOT NULL,
     batch bigint NOT NULL,
     day integer,
     events bigint NOT NULL,
     PRIMARY KEY (project, name)
   );`,

  `-- 1: no batch of the project has had events that later records may change. 0 is no statement.
   ALTER TABLE {projects} ADD COLUMN is_append_only smallint NOT NULL DEFAULT 0;`,

  `-- Events whose rows are being deleted: rows of batches up to the watermark, without the hidden ones,
   -- from start to end. NULL is no limit, and any name or user.
   CREATE TABLE {deletions} (
     number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
     project bigint NOT NULL,
     watermark bigint NOT NULL,
     hidden_batches bigint[] NOT NULL,
     start_ms bigint,
     end_ms bigint,
     events bigint[],
     users bigint[]
   );
   CREATE INDEX ledger_deletions_project ON {deletions} (project);`,
];
