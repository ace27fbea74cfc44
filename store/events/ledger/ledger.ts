import type { ArgumentsOf, NameIn, OutcomeOf } from "../../sql/operations.ts";
import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { openPool, PostgresExecutor } from "../../sql/postgres/executor.ts";
import { createLeaseClock } from "../../sql/postgres/lease-clock.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import type { PostgresStore } from "../../sql/postgres/store.ts";
import { ledgerFaults } from "./faults.ts";
import { migrations } from "./migrations.ts";
import { type LedgerOperations, operations } from "./operations.ts";

/**
 * The ledger records what the tables of events contain, for all replicas of the service: it numbers
 * batches, makes each visible as a whole, and holds the names of events and properties.
 *
 * `load.ts` numbers and completes batches, `state.ts` reads what a request needs to know of a project,
 * `cohorts.ts` and `upkeep.ts` record imports and deletions, and `garbage.ts` finds the rows of attempts
 * which died. `operations.ts` lists all operations, `migrations.ts` the tables.
 */
export interface Ledger extends AsyncDisposable {
  /** Runs an operation in one transaction. */
  call<N extends NameIn<LedgerOperations>>(
    name: N,
    ...args: ArgumentsOf<LedgerOperations, N>
  ): Promise<OutcomeOf<LedgerOperations, N>>;
  /** Returns the time of the database, in milliseconds since 1970. */
  now(): number;
}

export interface LedgerOptions extends PostgresConnection {
  /** The schema, whose tables `migrateLedger` has created; it is the schema of the leases. */
  readonly schema: string;
  /** The clock of the ledger in milliseconds since 1970. Default: the database's. */
  readonly now?: () => number;
}

/** The maximum number of calls which wait for a connection; more are refused at once. */
const maxWaiting = 1_000;

export const ledgerStore: PostgresStore & { readonly operations: LedgerOperations } = {
  faults: ledgerFaults,
  operations,
  single: new Set(["loadedTo", "readHead", "readHeads", "readState"]),
  migrations,
  tableOf: (name) => `ledger_${name}`,
};

/**
 * Opens the ledger in a PostgreSQL schema.
 * @throws EventsOpenError when the tables have another version than this program, or the server does
 * not sync commits to disk
 * @throws EventsUnavailableError when the database is unavailable
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { schema } = options;
  const pool = await openPool(ledgerStore, options, schema);
  const executor = new PostgresExecutor(ledgerStore, pool, { schema, maxWaiting });
  const clock = createLeaseClock({
    ask: () => executor.clock(),
    monotonic: () => performance.now(),
    now: Date.now,
  });
  try {
    if (options.now === undefined) await clock.refresh();
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
  const now = options.now ?? (() => clock.now());
  return {
    now,
    call: (name, ...args) => executor.call(name, now(), args, undefined),
    [Symbol.asyncDispose]: () => executor[Symbol.asyncDispose](),
  };
}

/**
 * Migrates the tables of the ledger in a schema to the version of this program.
 * @throws EventsOpenError when they are newer
 * @throws EventsUnavailableError when the database is unavailable
 */
export async function migrateLedger(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(ledgerStore, connection, schema);
}
