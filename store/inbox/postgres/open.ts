import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { openPool } from "../../sql/postgres/executor.ts";
import { DEFAULT_RETENTION, type Inbox, type InboxRetention } from "../inbox.ts";
import { DEFAULT_MAX_QUEUED_BYTES, SqlInbox } from "../sql/sql-inbox.ts";
import { PostgresInboxExecutor } from "./executor.ts";
import { inboxStore } from "./store.ts";

export interface PostgresInboxOptions extends PostgresConnection {
  /** The inbox's own schema, brought up by `migrate`. Default "engage_inbox". */
  readonly schema?: string;
  readonly retention?: Partial<InboxRetention>;
  /** No batch is taken when the schema's tables use more. Default null: no cap. */
  readonly maxBytes?: number | null;
  /** Calls that may wait for a connection; more are refused at once. Default 1000. */
  readonly maxWaiting?: number;
  /** Bodies that wait to be written; more is refused. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** Replicas' clocks must agree to within a fraction of the leases. */
  readonly now?: () => number;
}

/**
 * Opens an inbox in a PostgreSQL schema, which any number of replicas may share.
 * A server that goes away later makes calls reject until it is back.
 *
 * @throws InboxOpenError when the schema has another version than this program,
 * or the server doesn't keep what it has committed.
 * @throws InboxUnavailableError when the database is away.
 */
export async function openPostgresInbox(options: PostgresInboxOptions): Promise<Inbox> {
  const { schema = "engage_inbox", maxWaiting = 1_000, maxBytes = null, now = Date.now } = options;
  const pool = await openPool(inboxStore, options, schema);
  const executor = new PostgresInboxExecutor(pool, { schema, maxWaiting, maxBytes });
  const { maxQueuedBytes = DEFAULT_MAX_QUEUED_BYTES } = options;
  const retention = { ...DEFAULT_RETENTION, ...options.retention };
  return new SqlInbox(executor, { now, maxQueuedBytes, retention });
}
