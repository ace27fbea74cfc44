import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { openMarkFile, readMark } from "../../base/files/mark-file.ts";
import { quoteText } from "../../base/text/quote.ts";
import { ChannelsOpenError } from "../../store/channels/channels.ts";
import { InboxOpenError } from "../../store/inbox/inbox.ts";
import { type Intake, IntakeOpenError } from "../../store/intake/intake.ts";
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
  const { lost, ifUnusable } =
    store === "events"
      ? { lost: await acceptEventLosses(config), ifUnusable: undefined }
      : await acceptCommitLosses(config, store);
  stdout.write(`${lost.length === 0 ? `nothing of ${store} is known to be missing` : lost.join("\n")}\n`);
  if (ifUnusable !== undefined) throw new UserError(ifUnusable);
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
    using intake = openIntake(intakeFile);
    intake.markUnreported(loadedTo);
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

/** @throws UserError */
function openIntake(path: string): Intake {
  try {
    return openSqliteIntake({ path });
  } catch (error) {
    if (!(error instanceof IntakeOpenError)) throw error;
    throw new UserError(`nothing is accepted: ${error.message}`, { cause: error });
  }
}

interface AcceptedCommits {
  readonly lost: readonly string[];
  /** Why the next start can't open the file, and what to do. */
  readonly ifUnusable?: string;
}

/** The next start takes the file as it is, if it can be opened. */
async function acceptCommitLosses(
  config: Config,
  store: Exclude<MarkedStore, "events">,
): Promise<AcceptedCommits> {
  const file = store === "inbox" ? inboxFile(config) : channelFile(config);
  const path = markFile(config, store, file);
  const fault = await findFault(store, file);
  const mark = readMark<CommitMark>(path);
  rmSync(path, { force: true });
  const numbers = Object.entries(mark?.numbers ?? {}).map(([name, last]) => `${last} ${name}`);
  const lost =
    mark === undefined
      ? []
      : [
          `"${file}" is not compared any more with what it had: ${numbers.join(", ")} in ${mark.commits} commits`,
        ];
  if (fault === undefined) return { lost };
  const files = [file, `${file}-wal`].filter((one) => existsSync(one)).map((one) => `"${one}"`);
  const advice = `restore ${files.join(" and ")} from a copy, or move ${files.length > 1 ? "both" : "it"} away: the next start then begins with an empty one`;
  return { lost, ifUnusable: `a start can't open it: ${fault}; ${advice}` };
}

/**
 * Why a file can't be opened; undefined when it can, or there is none.
 * @throws UserError when a server has it
 */
async function findFault(store: Exclude<MarkedStore, "events">, path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  const openings = {
    inbox: async () => (await import("../../store/inbox/sqlite/open.ts")).openSqliteInbox({ path }),
    channels: async () => (await import("../../store/channels/sqlite/open.ts")).openSqliteChannels({ path }),
  };
  try {
    await using _opened = await openings[store]();
    return undefined;
  } catch (error) {
    if (!(error instanceof InboxOpenError || error instanceof ChannelsOpenError)) throw error;
    if (error.message.includes("is in use by")) throw new UserError(error.message, { cause: error });
    return error.message;
  }
}

function channelFile(config: Config): string {
  const place = channelPlace(config);
  if (place.driver === "sqlite") return place.file;
  throw new UserError("channels are in PostgreSQL, of which no loss is noticed here");
}
