import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { openMarkFile, readMark } from "../../base/files/mark-file.ts";
import { quoteText } from "../../base/text/quote.ts";
import { openSqliteIntake } from "../../store/intake/sqlite/open.ts";
import type { CommitMark } from "../../store/sql/sqlite/commit-mark.ts";
import type { Config } from "../config/config.ts";
import { channelPlace } from "../serve/channel/store.ts";
import { keepFilesPrivate } from "../serve/data/folder.ts";
import { lockFolder } from "../serve/data/lock.ts";
import { type MarkedStore, markedStores, markFile } from "../serve/data/marks.ts";
import {
  type EventsMark,
  eventMarkPaths,
  findEventLosses,
  firstSpoolFile,
  noEventsMark,
} from "../serve/event/losses.ts";
import { eventFolders, openEventStore } from "../serve/event/store.ts";
import { inboxFile } from "../serve/webhook/inbox.ts";
import { UserError } from "../terminal/user-error.ts";

/**
 * Lets a store go on without what it has lost: its mark becomes what is there.
 * @throws UserError when there is no such store, or a server runs on it
 */
export async function acceptLossOf(config: Config, name: string, stdout: Writable): Promise<void> {
  keepFilesPrivate();
  const store = markedStores.find((one) => one === name);
  if (store === undefined) {
    throw new UserError(`there is no store ${quoteText(name)}, valid are ${markedStores.join(", ")}`);
  }
  const lost = store === "events" ? await acceptEventLosses(config) : acceptCommitLosses(config, store);
  stdout.write(`${lost.length === 0 ? `nothing of ${store} is known to be missing` : lost.join("\n")}\n`);
  if (lost.length > 0) stdout.write(`accepted: ${store} goes on with what is there at the next start\n`);
}

async function acceptEventLosses(config: Config): Promise<readonly string[]> {
  using _lock = lockFolder(join(config.data, "events"));
  await using store = await openEventStore(config);
  const loadedTo = store.loadedTo();
  const { lost } = await findEventLosses(config, { loadedTo });
  if (lost.length === 0) return lost;
  // Users may have been given ids in what is lost: they are told to the store when they come again.
  const intakeFile = join(config.data, "events", "intake.db");
  if (existsSync(intakeFile)) {
    using intake = openSqliteIntake({ path: intakeFile });
    intake.untell(loadedTo);
  }
  const paths = eventMarkPaths(config);
  const firstKept = await firstSpoolFile(eventFolders(config).spool);
  const before = readMark<EventsMark>(paths.store) ?? noEventsMark;
  const kept = Math.max(firstKept, before.firstKept);
  rmSync(paths.spool, { force: true });
  rmSync(`${paths.spool}.files`, { force: true });
  using mark = openMarkFile<EventsMark>(paths.store);
  mark.write({ loadedTo, firstKept: kept, accepted: kept });
  return lost;
}

/** The next start takes the file as it is. */
function acceptCommitLosses(config: Config, store: Exclude<MarkedStore, "events">): readonly string[] {
  const file = store === "inbox" ? inboxFile(config) : channelFile(config);
  const path = markFile(config, store, file);
  const mark = readMark<CommitMark>(path);
  rmSync(path, { force: true });
  if (mark === undefined) return [];
  const numbers = Object.entries(mark.numbers).map(([name, last]) => `${last} ${name}`);
  return [
    `"${file}" is not compared any more with what it had: ${numbers.join(", ")} in ${mark.commits} commits`,
  ];
}

function channelFile(config: Config): string {
  const place = channelPlace(config);
  if (place.driver === "sqlite") return place.file;
  throw new UserError("channels are in PostgreSQL, of which no loss is noticed here");
}
