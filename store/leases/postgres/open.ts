import { type Clock, systemClock } from "../../../base/async/clock.ts";
import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { createLateExecutor } from "../../sql/postgres/late-executor.ts";
import { createListener } from "../../sql/postgres/listener.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { checkRange } from "../../sql/values.ts";
import type { Leases } from "../leases.ts";
import { PostgresLeases } from "./postgres-leases.ts";
import { leaseStore } from "./store.ts";

/** The maximum number of calls which wait for a connection; more are refused at once. */
const maxWaiting = 1_000;
const defaultMaxConnections = 2;
const defaultLeaseMs = 15_000;
const minStatementMs = 500;

export interface PostgresLeasesConnection extends PostgresConnection {
  /** The schema, whose tables `migrate` has created. Fenced transactions are in the same schema. */
  readonly schema: string;
  /**
   * How long a lease of a process which died is not given to another, from 100 to 600,000 ms.
   * Default 15 s.
   */
  readonly leaseMs?: number;
  readonly clock?: Pick<Clock, "monotonicMs" | "after" | "wait">;
}

/** Leases whose database may be unavailable at first. */
export interface LateLeases extends Leases {
  /**
   * Resolves when leases can be acquired.
   * @throws LeasesOpenError, LeasesUnavailableError
   */
  ready(): Promise<void>;
}

/**
 * Opens leases in a PostgreSQL schema for any number of processes. When the server becomes unavailable
 * later, calls reject until it is available again, and held leases are lost after their time.
 *
 * @throws LeasesOpenError when the tables have another version than this program, or the server does not
 * sync commits to disk.
 * @throws LeasesUnavailableError when the database is unavailable.
 */
export async function openPostgresLeases(options: PostgresLeasesConnection): Promise<Leases> {
  const leases = createPostgresLeases(options);
  try {
    await leases.ready();
    return leases;
  } catch (error) {
    await leases[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens leases as `openPostgresLeases` does, even when the database is not available yet. */
export function createPostgresLeases(options: PostgresLeasesConnection): LateLeases {
  const { schema, leaseMs = defaultLeaseMs, clock = systemClock } = options;
  checkRange("leaseMs", leaseMs, 100, 600_000);
  // A renewal which gets no reply is tried again before the lease ends.
  const statementTimeoutMs = Math.max(minStatementMs, leaseMs / 4);
  const connection = { maxConnections: defaultMaxConnections, statementTimeoutMs, ...options };
  const executor = createLateExecutor(leaseStore, connection, { schema, maxWaiting });
  const channel = `${schema}_leases`.slice(-63);
  const listener = createListener(connection, channel);
  const leases = new PostgresLeases({ executor, listener, channel, leaseMs, clock });
  return {
    ready: executor.open,
    acquire: (name, signal) => leases.acquire(name, signal),
    tryAcquire: (name) => leases.tryAcquire(name),
    count: (prefix) => leases.count(prefix),
    [Symbol.asyncDispose]: () => leases[Symbol.asyncDispose](),
  };
}

/**
 * Migrates the tables of leases in a schema, which other stores may share, to the version of this program.
 * @throws LeasesOpenError when they are newer
 * @throws LeasesUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(leaseStore, connection, schema);
}
