import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import type { Config } from "../../config/config.ts";
import { channelPlace, inboxFile } from "../../config/resolve.ts";
import { savedQueriesFile } from "../analysis/saved-queries.ts";
import { withTokenStore } from "../analysis/tokens.ts";
import { markOf } from "../data/marks.ts";
import { asUserError } from "../data/user-errors.ts";
import { describeLosses, findEventLosses } from "../event/losses.ts";
import { eventFolders, openEmbeddedStore } from "../event/store.ts";
import type { Contents } from "./manifest.ts";

/** What was found in a data folder. */
export interface Reading {
  readonly contents: Contents;
  readonly faults: readonly string[];
}

/** The engine beside a running server gets little memory: it reads one table after the other. */
const maxEngineBytes = 512 * 1_048_576;

/**
 * Opens each store of a data folder as a start does, reads all of it once, compares it with its mark, and counts what
 * it contains.
 * @throws UserError when a store cannot be opened
 */
export async function readContents(config: Config, signal: AbortSignal): Promise<Reading> {
  const { events, users, projects, waitingBytes, faults } = await readEvents(config, signal);
  const inbox = await checkInbox(config);
  const channels = await checkChannels(config);
  const savedQueries = await checkSavedQueries(config);
  const tokens = (await withTokenStore(config, (store) => store.list())).length;
  return {
    contents: {
      projects,
      events,
      users,
      waitingBytes,
      batches: countRows(inbox, "batches"),
      pushChannels: countRows(channels, "channels"),
      tasks: countRows(channels, "tasks"),
      savedQueries: countRows(savedQueries, "queries"),
      tokens,
    },
    faults,
  };
}

interface EventReading extends Pick<Contents, "events" | "users" | "projects" | "waitingBytes"> {
  readonly faults: readonly string[];
}

const noEvents: EventReading = { events: 0, users: 0, projects: 0, waitingBytes: 0, faults: [] };

async function readEvents(config: Config, signal: AbortSignal): Promise<EventReading> {
  const folders = eventFolders(config);
  const hasStore = existsSync(join(folders.store, "events.duckdb"));
  if (config.events.driver !== "duckdb" || !(hasStore || existsSync(folders.spool))) return noEvents;
  const { engine } = config.events;
  const memoryBytes = Math.min(engine.memoryBytes, maxEngineBytes);
  await using store = await openEmbeddedStore({
    ...config,
    events: { ...config.events, engine: { ...engine, memoryBytes } },
  });
  const loadedTo = store.loadedTo();
  const losses = await findEventLosses(config, { loadedTo });
  const faults = [
    ...(losses.lost.length > 0 ? [describeLosses(losses)] : []),
    ...(await store.check(signal)),
  ];
  const intake = join(config.data, "events", "intake.db");
  if (existsSync(intake)) {
    using opened = await asUserError(async () => openSqliteIntake({ path: intake }));
    // Fails when the store has loaded more than the intake knows.
    await asUserError(() => opened.rewind(loadedTo));
  }
  await using spool = openRecordSpool({ folder: folders.spool, after: loadedTo, checksums: true });
  const reader = createRecordReader({ folder: folders.spool, spool });
  const waitingBytes = await reader.bytesAfter(loadedTo ?? (await reader.start()));
  const { projects } = await store.stats();
  const total = (of: "events" | "updatableEvents" | "users") =>
    projects.reduce((sum, one) => sum + one[of], 0);
  return {
    events: total("events") + total("updatableEvents"),
    users: total("users"),
    projects: projects.length,
    waitingBytes,
    faults,
  };
}

/** The options of a file that is only checked. */
const checking = { checkAtOpen: true, reserveBytes: 0, minFreeBytes: 0 };

/** Returns the path, or undefined when there is no such file. @throws UserError */
async function checkInbox(config: Config): Promise<string | undefined> {
  const path = inboxFile(config);
  if (config.webhook.inbox.driver !== "sqlite") return undefined;
  const mark = markOf(config, "inbox", path);
  const { openSqliteInbox } = await import("../../../store/inbox/sqlite/open.ts");
  return await checkFile(path, mark.path, () => openSqliteInbox({ path, mark, ...checking }));
}

async function checkChannels(config: Config): Promise<string | undefined> {
  const place = channelPlace(config);
  if (place.driver !== "sqlite") return undefined;
  const { file: path } = place;
  const mark = markOf(config, "channels", path);
  const { openSqliteChannels } = await import("../../../store/channels/sqlite/open.ts");
  return await checkFile(path, mark.path, () => openSqliteChannels({ path, mark, ...checking }));
}

async function checkSavedQueries(config: Config): Promise<string | undefined> {
  const path = savedQueriesFile(config);
  const { openSqliteSavedQueries } = await import("../../../store/savedqueries/sqlite/open.ts");
  return await checkFile(path, undefined, () => openSqliteSavedQueries({ path, ...checking }));
}

/** A file that is missing while it has a mark is lost, which opening it reports. */
async function checkFile(
  path: string,
  mark: string | undefined,
  open: () => Promise<AsyncDisposable>,
): Promise<string | undefined> {
  if (!existsSync(path) && (mark === undefined || !existsSync(mark))) return undefined;
  await using _opened = await asUserError(open);
  return path;
}

function countRows(path: string | undefined, table: "batches" | "channels" | "queries" | "tasks"): number {
  if (path === undefined) return 0;
  using db = new DatabaseSync(path);
  // Leaves no other files beside it.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  return Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
}

/** Removes what opening the stores has left in a backup. */
export function removeTraces({ data }: Pick<Config, "data">): void {
  const store = join(data, "events", "store");
  for (const path of [join(store, "scratch"), join(store, "temp"), join(data, "events", "staging")])
    rmSync(path, { recursive: true, force: true });
}
