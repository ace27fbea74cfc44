import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { openPool, PostgresExecutor } from "../../sql/postgres/executor.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { checkRange } from "../../sql/values.ts";
import type { Intake } from "../intake.ts";
import { PostgresIntake } from "./postgres.ts";
import type { Fence } from "./rewind.ts";
import { intakeStore } from "./store.ts";

export interface PostgresIntakeOptions extends PostgresConnection {
  /** The schema, whose tables `migrate` has created. The leases are in the same schema. */
  readonly schema: string;
  /** The number of the spool whose records are prepared. No two spools have records of one project. */
  readonly spool: number;
  /**
   * The lease of the loader, whose token each write checks. Without it, a loader which was stopped for
   * a while is refused all the same, but only after another one has written.
   */
  readonly fence?: Fence;
  /** The time after its receipt during which a uuid is not accepted again. Default 3 h. */
  readonly uuidWindowMs?: number;
  /**
   * The maximum number of uuids in memory, at 30 to 45 bytes each. Beyond it the oldest are rows of tables, which are
   * read for each batch. Default 12 million.
   */
  readonly maxUuids?: number;
  /**
   * The maximum number of accounts, and of visitors, of each project in memory, at about 100 bytes
   * each. Default 400,000.
   */
  readonly maxCachedIds?: number;
}

const hourMs = 3_600_000;
const maxWindowMs = 45 * 24 * hourMs;
const maxRemembered = 200_000_000;
/** A loader has one call at a time. */
const maxConnections = 1;
const maxWaiting = 10;
/** The default for statements. Undoing the claims of a large batch takes seconds. */
const defaultStatementTimeoutMs = 60_000;

/**
 * Opens the intake of one spool in a PostgreSQL schema. When the server becomes unavailable later,
 * calls reject until it is available again.
 *
 * @throws IntakeOpenError when the tables have another version than this program, or the server does not
 * sync commits to disk.
 * @throws IntakeUnavailableError when the database is unavailable.
 */
export async function openPostgresIntake(options: PostgresIntakeOptions): Promise<Intake> {
  const { schema, spool, fence, uuidWindowMs = 3 * hourMs } = options;
  const { maxUuids = 12_000_000, maxCachedIds = 400_000 } = options;
  checkRange("spool", spool, 0, Number.MAX_SAFE_INTEGER);
  checkRange("uuidWindowMs", uuidWindowMs, 0, maxWindowMs);
  checkRange("maxUuids", maxUuids, 0, maxRemembered);
  const connection = { maxConnections, statementTimeoutMs: defaultStatementTimeoutMs, ...options };
  const pool = await openPool(intakeStore, connection, schema);
  const executor = new PostgresExecutor(intakeStore, pool, { schema, maxWaiting });
  return new PostgresIntake(executor, { spool, fence, uuidWindowMs, maxUuids, maxCachedIds });
}

/**
 * Migrates the tables of intakes in a schema, which other stores may share, to the version of this
 * program.
 * @throws IntakeOpenError when they are newer
 * @throws IntakeUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(intakeStore, connection, schema);
}
