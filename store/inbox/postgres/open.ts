import { createPool, type PostgresConnection } from "../../sql/postgres/connect.ts";
import { toStoreError } from "../../sql/postgres/errors.ts";
import { createLeaseClock } from "../../sql/postgres/lease-clock.ts";
import { checkServer, type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { checkSchemaName } from "../../sql/postgres/store.ts";
import { defaultRetention, type Inbox, type InboxRetention, InboxUnavailableError } from "../inbox.ts";
import { defaultMaxQueuedBytes } from "../sql/options.ts";
import { SqlInbox } from "../sql/sql-inbox.ts";
import { PostgresInboxExecutor } from "./executor.ts";
import { inboxStore } from "./store.ts";

export interface PostgresInboxOptions extends PostgresConnection {
  /** The inbox's own schema, created by `migrate`. Default "engage_inbox". */
  readonly schema?: string;
  readonly retention?: Partial<InboxRetention>;
  /** The maximum size of the schema's tables; no batch is accepted beyond it. Default null: no limit. */
  readonly maxBytes?: number | null;
  /** The maximum number of calls which wait for a connection; more are refused at once. Default 1000. */
  readonly maxWaiting?: number;
  /** The maximum bytes of bodies which wait to be written; more is refused. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** Milliseconds since 1970, for times of display. */
  readonly now?: () => number;
  /**
   * The clock of leases, waits, ages and retention. Default: `now` when it is given, otherwise the
   * database's clock.
   */
  readonly clockMs?: () => number;
  /** Opens the inbox even when the server is unavailable; calls reject until it is available. Default false. */
  readonly isAwaited?: boolean;
}

/**
 * Opens an inbox in a PostgreSQL schema, which any number of replicas may share. When the server
 * becomes unavailable later, calls reject until it is available again.
 *
 * @throws InboxOpenError when the schema has another version than this program, or the server does not
 * sync commits to disk.
 * @throws InboxUnavailableError when the database is unavailable, unless `isAwaited`.
 */
export async function openPostgresInbox(options: PostgresInboxOptions): Promise<Inbox> {
  const { schema = "engage_inbox", maxWaiting = 1_000, maxBytes = null, now = Date.now } = options;
  checkSchemaName(schema);
  const pool = createPool(options);
  const executor = new PostgresInboxExecutor(pool, { schema, maxWaiting, maxBytes });
  const clock = createLeaseClock({ ask: () => executor.clock(), monotonic: () => performance.now(), now });
  const prepare = createReadiness(async () => {
    try {
      await checkServer(inboxStore, pool, schema);
      await clock.refresh();
    } catch (error) {
      throw toStoreError(inboxStore.faults, error);
    }
  });
  try {
    await prepare();
  } catch (error) {
    const isWaiting = options.isAwaited === true && error instanceof InboxUnavailableError;
    if (!isWaiting) {
      await executor[Symbol.asyncDispose]();
      throw error;
    }
  }
  const { maxQueuedBytes = defaultMaxQueuedBytes, clockMs = options.now ?? clock.now } = options;
  const retention = () => ({ ...defaultRetention, ...options.retention });
  return new SqlInbox(executor, { now, clockMs, prepare: asUnavailable(prepare), maxQueuedBytes, retention });
}

/** An error which would prevent a start only makes a started server wait: its tables may still be migrated. */
function asUnavailable(prepare: () => Promise<void> | undefined): () => Promise<void> | undefined {
  return () =>
    prepare()?.catch((error: unknown) => {
      if (error instanceof InboxUnavailableError || !(error instanceof Error)) throw error;
      throw new InboxUnavailableError(error.message, { cause: error });
    });
}

/** After a failed check, calls within this time fail with the same error. */
const pauseMs = 500;

/**
 * Runs a check until it has passed once; concurrent calls share it. The returned function returns
 * undefined from then on, so that callers do not wait.
 */
function createReadiness(check: () => Promise<void>): () => Promise<void> | undefined {
  let isReady = false;
  let running: Promise<void> | undefined;
  let failed: { readonly error: unknown; readonly atMs: number } | undefined;
  const run = async (): Promise<void> => {
    try {
      await check();
      isReady = true;
    } catch (error) {
      failed = { error, atMs: performance.now() };
      throw error;
    } finally {
      running = undefined;
    }
  };
  return () => {
    if (isReady) return undefined;
    if (failed !== undefined && performance.now() - failed.atMs < pauseMs)
      return Promise.reject(failed.error);
    running ??= run();
    return running;
  };
}

/**
 * Migrates the inbox's tables in a schema to the version of this program.
 * @throws InboxOpenError when they are newer
 * @throws InboxUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(inboxStore, connection, schema);
}
