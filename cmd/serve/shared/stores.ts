import type { Logger } from "pino";
import { untilAborted } from "../../../base/async/abort.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import { type Leases, LeasesUnavailableError } from "../../../store/leases/leases.ts";
import type { PostgresRecords } from "../../../store/records/postgres/open.ts";
import { RecordsUnavailableError } from "../../../store/records/records.ts";
import type { Config } from "../../config/config.ts";
import { asUserError } from "../data/user-errors.ts";
import type { FindParts } from "../metrics/shared.ts";
import { eventsDatabase, sharedDatabase } from "./databases.ts";

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
    waitUnlessUnavailable(() => Promise.all([leases.ready(), records.ready()]), logger),
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

async function waitUnlessUnavailable(ready: () => Promise<unknown>, logger: Logger): Promise<void> {
  try {
    await ready();
  } catch (error) {
    if (!(error instanceof LeasesUnavailableError || error instanceof RecordsUnavailableError)) throw error;
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
