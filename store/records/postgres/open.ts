import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { createLateExecutor } from "../../sql/postgres/late-executor.ts";
import { createListener } from "../../sql/postgres/listener.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { checkRange } from "../../sql/values.ts";
import type { ForwardCursor } from "../forward-cursor.ts";
import type { ReaderLease } from "./operations.ts";
import { createPostgresSpool, type PostgresSpool, type PostgresSpoolOptions } from "./postgres-spool.ts";
import { createSpoolTables } from "./spool-tables.ts";
import { recordStore } from "./store.ts";

export interface PostgresRecordsOptions extends PostgresConnection {
  /** The schema, whose tables `migrate` has created. */
  readonly schema: string;
  /** The maximum number of calls which wait for a connection; more are refused at once. Default 1000. */
  readonly maxWaiting?: number;
  /**
   * The time between two looks for records of other processes while a reader waits for them, in case
   * their notifications are lost. Default 1 s.
   */
  readonly pollMs?: number;
}

/** The spools of a schema, one for each project. They share connections, which are opened by the first call. */
export interface PostgresRecords extends AsyncDisposable {
  /**
   * Opens the spool of a project, once in a process. Does no I/O: a new project's tables are created when it is used.
   */
  open(options: PostgresSpoolOptions): PostgresSpool;
  /** Returns the place of a reader which acts under a lease, by whose name the place is saved. */
  cursor(lease: ReaderLease): ForwardCursor;
  /**
   * Resolves when the spools can be used.
   * @throws RecordsOpenError, RecordsUnavailableError
   */
  ready(): Promise<void>;
  /** Reads the time of the database, in milliseconds since 1970. @throws RecordsUnavailableError */
  clock(): Promise<number>;
}

const defaultTableBytes = 64 * 2 ** 20;

/**
 * Opens the spools in a PostgreSQL schema, which any number of replicas may share. When the server
 * becomes unavailable later, calls reject until it is available again.
 *
 * @throws RecordsOpenError when the tables have another version than this program, or the server does
 * not sync commits to disk.
 * @throws RecordsUnavailableError when the database is unavailable.
 */
export async function openPostgresRecords(options: PostgresRecordsOptions): Promise<PostgresRecords> {
  const records = createPostgresRecords(options);
  try {
    await records.ready();
    return records;
  } catch (error) {
    await records[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens the spools as `openPostgresRecords` does, even when the database is not available yet. */
export function createPostgresRecords(options: PostgresRecordsOptions): PostgresRecords {
  const { schema, maxWaiting = 1_000, pollMs = 1_000 } = options;
  const executor = createLateExecutor(recordStore, options, { schema, maxWaiting });
  const channel = `${schema}_records`.slice(-63);
  const listener = createListener(options, channel);
  const opened = new Set<PostgresSpool>();
  return {
    open(spoolOptions) {
      const { project, maxTableBytes = defaultTableBytes, after } = spoolOptions;
      checkRange("project", project, 0, Number.MAX_SAFE_INTEGER);
      const tables = createSpoolTables({ executor, project, maxTableBytes, after, channel });
      const spool = createPostgresSpool(spoolOptions, { tables, listener, pollMs });
      opened.add(spool);
      return spool;
    },
    cursor: (lease) => ({
      load: async () => (await executor.call("readCursor", 0, [lease.name], undefined)) ?? undefined,
      save: (place) => executor.call("saveCursor", 0, [lease, place], undefined),
    }),
    ready: executor.open,
    clock: executor.clock,
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(opened, (spool) => spool[Symbol.asyncDispose]()));
      await listener[Symbol.asyncDispose]();
      await executor[Symbol.asyncDispose]();
    },
  };
}

/**
 * Migrates the tables of spools in a schema, which other stores may share, to the version of this program.
 * @throws RecordsOpenError when they are newer
 * @throws RecordsUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(recordStore, connection, schema);
}
