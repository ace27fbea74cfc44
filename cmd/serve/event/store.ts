import { readdir, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { DuckDbStore } from "../../../store/events/duckdb/duckdb.ts";
import { type EventStore, EventsOpenError } from "../../../store/events/events.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { asUserError } from "../data/user-errors.ts";
import { eventsDatabase } from "../shared/databases.ts";
import { clickHouseOptions } from "./clickhouse.ts";

export interface EventFolders {
  /** The store, which is all of one process. */
  readonly store: string;
  /** Files of batches that are about to be loaded. */
  readonly staging: string;
  /** Records that are about to be loaded. */
  readonly spool: string;
}

export function eventFolders({ data }: Pick<Config, "data">): EventFolders {
  return {
    store: join(data, "events", "store"),
    staging: join(data, "events", "staging"),
    spool: join(data, "events", "spool"),
  };
}

/** Read in about four seconds. */
const maxLogBytes = 256 * 1_048_576;

/**
 * Opens the store of events, for a command.
 * @throws UserError when it can't be opened
 */
export async function openEventStore(config: Config): Promise<EventStore> {
  const database = eventsDatabase(config);
  if (database === undefined) return await openEmbeddedStore(config);
  const { openClickHouseStore } = await import("../../../store/events/clickhouse/clickhouse.ts");
  return await asUserError(() => openClickHouseStore(clickHouseOptions(config, database)));
}

/** @throws UserError when events are not in the data folder */
export function requireEmbedded(config: Config, what: string): void {
  if (config.events.driver === "duckdb") return;
  throw new UserError(`${what} is for events.driver duckdb, it is ${JSON.stringify(config.events.driver)}`);
}

/**
 * Opens the store of events in the data folder.
 * @throws UserError when it can't be opened
 */
export async function openEmbeddedStore(config: Config): Promise<DuckDbStore> {
  const { engine, spool } = config.events;
  const { memoryBytes, threads, ...limits } = engine;
  const { store, staging } = eventFolders(config);
  const { openDuckDbStore } = await import("../../../store/events/duckdb/duckdb.ts");
  try {
    return await openDuckDbStore({
      ...limits,
      folder: store,
      stagingFolder: staging,
      memoryLimitBytes: memoryBytes,
      threads: threads ?? availableParallelism(),
      // Files of the spool are kept until their records have left the log. A larger log would make a start after a
      // crash slow.
      maxLogBytes: Math.min(spool.maxFileBytes, maxLogBytes),
    });
  } catch (error) {
    if (!(error instanceof EventsOpenError)) throw error;
    throw new UserError(error.message, { cause: error });
  }
}

export async function hasSpooledRecords(config: Config): Promise<boolean> {
  const { spool } = eventFolders(config);
  const names = await readdir(spool).catch(() => []);
  const sizeOf = (name: string) =>
    stat(join(spool, name)).then(
      ({ size }) => size,
      () => 0,
    );
  const sizes = await Promise.all(names.map(sizeOf));
  return sizes.some((size) => size > 0);
}

/** Days of events that projects keep, by project; those that are left out keep all. */
export function keepDaysOf({ projects, events }: Config): ReadonlyMap<number, number> {
  return new Map(
    projects.flatMap(({ id, keepDays = events.keepDays }) =>
      keepDays === undefined ? [] : [[id, keepDays] as const],
    ),
  );
}
