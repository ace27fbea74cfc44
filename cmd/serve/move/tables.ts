import { join } from "node:path";
import { exactCountOf } from "../../../base/text/count.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import type { CopyCounts } from "../../../store/sql/copy-tables.ts";
import type { PostgresStore } from "../../../store/sql/postgres/store.ts";
import type { Config } from "../../config/config.ts";
import { type ChannelPlace, channelPlace, inboxFile } from "../../config/resolve.ts";
import { UserError } from "../../terminal/user-error.ts";
import { savedQueriesFile } from "../analysis/saved-queries.ts";
import { openTokenStore } from "../analysis/tokens.ts";
import { eventsDatabase, type SharedDatabase, sharedDatabase } from "../shared/databases.ts";
import { clickFolder, sharedNumber } from "../webhook/click-spool.ts";
import { moveClicks } from "./clicks.ts";
import { sourceName } from "./source.ts";

/** A table of the target that is empty before a move. */
interface UnusedTable {
  readonly store: PostgresStore;
  readonly name: string;
  /** Which rows are of use. Default: all. */
  readonly where?: string;
  readonly connection: { readonly url: string; readonly schema: string };
}

/** Checks that nothing has used the stores of replicas yet. @throws UserError */
export async function checkUnused(from: Config, to: Config): Promise<void> {
  const { runTransaction } = await import("../../../store/sql/postgres/transaction.ts");
  for (const { store, name, where = "true", connection } of await unusedTables(from, to)) {
    const sql = `SELECT 1 FROM {${name}} WHERE ${where} LIMIT 1`;
    const rows = await runTransaction(store, connection, (query) => query(sql));
    if (rows.length === 0) continue;
    const table = `table ${store.tableOf(name)} in schema ${JSON.stringify(connection.schema)}`;
    throw new UserError(`the stores of --to hold other data: ${table} is not empty`);
  }
}

async function unusedTables(from: Config, to: Config): Promise<readonly UnusedTable[]> {
  const [{ intakeStore }, { recordStore }, { tokenStore }, { deadLetterStore }, { savedQueryStore }] =
    await Promise.all([
      import("../../../store/intake/postgres/store.ts"),
      import("../../../store/records/postgres/store.ts"),
      import("../../../store/tokens/postgres/store.ts"),
      import("../../../store/deadletters/postgres/store.ts"),
      import("../../../store/savedqueries/postgres/store.ts"),
    ]);
  const connection = eventsDatabase(to)!;
  const ofEvents = [
    { store: intakeStore, name: "projects" },
    { store: recordStore, name: "heads", where: `project <> ${sharedNumber} AND (number > 1 OR size > 0)` },
  ];
  const others = [
    { store: recordStore, name: "heads", where: "number > 1 OR size > 0" },
    { store: tokenStore, name: "tokens" },
    { store: deadLetterStore, name: "lists" },
    { store: savedQueryStore, name: "queries" },
  ];
  const shared = [...ofEvents, ...(isInFiles(from) ? others : [])].map((one) => ({ ...one, connection }));
  const inbox = inboxPlaces(from, to);
  const channels = channelPlaces(from, to);
  const { inboxStore } = await import("../../../store/inbox/postgres/store.ts");
  const { channelStore } = await import("../../../store/channels/postgres/store.ts");
  return [
    ...shared,
    ...(inbox === undefined ? [] : [{ store: inboxStore, name: "batches", connection: inbox.connection }]),
    ...(channels === undefined
      ? []
      : [{ store: channelStore, name: "channels", connection: channels.connection }]),
  ];
}

/** Events alone may be in a data folder, while all else is in a database already. */
const isInFiles = (from: Config): boolean => sharedDatabase(from) === undefined;

interface Places {
  readonly path: string;
  readonly connection: { readonly url: string; readonly schema: string };
}

/** Undefined when both configurations use the same kind of inbox. */
function inboxPlaces(from: Config, to: Config): Places | undefined {
  const { driver, url = "", schema } = to.webhook.inbox;
  if (from.webhook.inbox.driver !== "sqlite" || driver !== "postgres") return undefined;
  return { path: inboxFile(from), connection: { url, schema } };
}

function channelPlaces(from: Config, to: Config): Places | undefined {
  const source: ChannelPlace = channelPlace(from);
  const target: ChannelPlace = channelPlace(to);
  if (source.driver !== "sqlite" || target.driver !== "postgres") return undefined;
  return { path: source.file, connection: { url: target.url, schema: target.schema } };
}

/** Moves what PostgreSQL stores; yields what was moved. No process uses the data folder. @throws UserError */
export async function* moveTables(
  from: Config,
  to: Config,
  loadedTo: SpoolPlace | undefined,
): AsyncGenerator<string, void> {
  const database = eventsDatabase(to)!;
  const { url, schema } = database;
  const connection = { url, schema };
  const { moveIntake } = await import("../../../store/intake/postgres/move.ts");
  const intakeFile = join(from.data, "events", "intake.db");
  const options = { uuidWindowMs: to.events.uuidWindow.ms, loadedTo };
  yield describe("ids of users", await moveIntake(intakeFile, connection, options));
  const inbox = inboxPlaces(from, to);
  if (inbox !== undefined) {
    const { moveInbox } = await import("../../../store/inbox/move.ts");
    yield describe("the inbox", await moveInbox(inbox.path, inbox.connection));
  }
  const channels = channelPlaces(from, to);
  if (channels !== undefined) {
    const { moveChannels } = await import("../../../store/channels/move.ts");
    yield describe("push channels", await moveChannels(channels.path, channels.connection));
  }
  if (!isInFiles(from)) return;
  yield `query tokens: ${await moveTokens(from, to)}`;
  const { moveSavedQueries } = await import("../../../store/savedqueries/move.ts");
  yield describe("saved queries", await moveSavedQueries(savedQueriesFile(from), connection));
  yield* moveAllDeadLetters(from, to, database);
  yield `clicks to forward: ${exactCountOf(await moveClicks(from, database), "byte")}`;
}

function describe(what: string, { rows, isFound }: CopyCounts): string {
  return `${what}: ${exactCountOf(rows, "row")}${isFound ? ", which were moved before" : ""}`;
}

async function moveTokens(from: Config, to: Config): Promise<string> {
  await using source = await openTokenStore(from);
  await using target = await openTokenStore(to);
  const tokens = await source.list();
  // One that exists was moved before.
  for (const token of tokens) await target.add(token);
  return exactCountOf(tokens.length, "token");
}

async function* moveAllDeadLetters(
  from: Config,
  to: Config,
  { url, schema }: SharedDatabase,
): AsyncGenerator<string, void> {
  const { moveDeadLetters } = await import("../../../store/deadletters/move.ts");
  const clickLimits = { maxBytes: 64 * 1_048_576, keepFiles: 1_000 };
  const lists = [
    { list: "events", ...to.events.deadLetters, file: join(from.data, from.events.deadLetters.file) },
    { list: "parser", ...to.parser.deadLetters, file: join(from.data, from.parser.deadLetters.file) },
    { list: "clicks", ...clickLimits, file: join(clickFolder(from), "dead-letters.ndjson") },
  ];
  for (const { list, file, maxBytes, keepFiles } of lists) {
    const moved = { list, file, maxBytes, keepFiles, source: sourceName(from), connection: { url, schema } };
    yield `dead letters of ${list}: ${exactCountOf(await moveDeadLetters(moved), "dead letter")}`;
  }
}
