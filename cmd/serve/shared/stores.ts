import type { Logger } from "pino";
import { untilAborted } from "../../../base/async/abort.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import { EventsUnavailableError } from "../../../store/events/events.ts";
import { type Leases, LeasesUnavailableError } from "../../../store/leases/leases.ts";
import type { PostgresRecords } from "../../../store/records/postgres/open.ts";
import { RecordsUnavailableError } from "../../../store/records/records.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { asUserError } from "../data/user-errors.ts";
import type { FindParts } from "../metrics/shared.ts";
import { eventsDatabase, type SharedDatabase, sharedDatabase } from "./databases.ts";

/** What several services of a replica use in the shared database. */
export interface SharedStores extends AsyncDisposable {
  readonly leases: Leases;
  readonly records: PostgresRecords;
  readonly checks: Readonly<Record<string, ReadyCheck>>;
  readonly parts: FindParts;
}

/**
 * Opens what replicas share; undefined when all is in the data folder. A database that is unavailable is tried again
 * by each call that needs it.
 * @throws UserError when its tables have another version
 */
export async function openSharedStores(config: Config, logger: Logger): Promise<SharedStores | undefined> {
  const database = sharedDatabase(config) ?? eventsDatabase(config);
  if (database === undefined) return undefined;
  const [{ createPostgresLeases }, { createPostgresRecords }] = await Promise.all([
    import("../../../store/leases/postgres/open.ts"),
    import("../../../store/records/postgres/open.ts"),
  ]);
  await using opened = new AsyncDisposableStack();
  const { url, schema } = database;
  const leases = opened.use(createPostgresLeases({ url, schema }));
  const records = opened.use(createPostgresRecords(database));
  await asUserError(() =>
    waitUnlessUnavailable(async () => {
      await Promise.all([leases.ready(), records.ready()]);
      if (eventsDatabase(config) !== undefined) await refuseWhileMoving(database);
    }, logger),
  );
  const stack = opened.move();
  return {
    leases,
    records,
    checks: { postgres: createCheck(records, logger) },
    async parts(signal) {
      const isUp = await untilAborted(records.clock(), signal).then(
        () => true,
        () => false,
      );
      return new Map([["postgres", isUp]]);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A replica would add records to stores that are incomplete. @throws UserError */
async function refuseWhileMoving(database: SharedDatabase): Promise<void> {
  const { openLedger } = await import("../../../store/events/ledger/ledger.ts");
  await using ledger = await openLedger({ ...database, maxConnections: 1 });
  if ((await ledger.call("moveProgress")) === "begun") throw new UserError(unfinishedMove);
}

export const unfinishedMove = "a data folder is being moved into the stores: finish engage store move first";

async function waitUnlessUnavailable(ready: () => Promise<unknown>, logger: Logger): Promise<void> {
  try {
    await ready();
  } catch (error) {
    const isAway =
      error instanceof LeasesUnavailableError ||
      error instanceof RecordsUnavailableError ||
      error instanceof EventsUnavailableError;
    if (!isAway) throw error;
    logger.warn({ reason: error.message }, "waiting for the shared database");
  }
}

/** Passes while the database replies. The reason names hosts, so it is logged and left out of the response. */
function createCheck(records: Pick<PostgresRecords, "clock">, logger: Logger): ReadyCheck {
  let isAway = false;
  return async () => {
    try {
      await records.clock();
      if (isAway) logger.info("the shared database is available again");
      isAway = false;
      return undefined;
    } catch (error) {
      if (!isAway) logger.error({ err: error }, "the shared database is unavailable");
      isAway = true;
      return "the shared database is unavailable";
    }
  };
}
