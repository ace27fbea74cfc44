import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { openMarkFile, readMark } from "../../../base/files/mark-file.ts";
import { ChannelsOpenError } from "../../../store/channels/channels.ts";
import { InboxOpenError } from "../../../store/inbox/inbox.ts";
import { type Intake, IntakeOpenError } from "../../../store/intake/intake.ts";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
import type { CommitMark } from "../../../store/sql/sqlite/commit-mark.ts";
import type { Config } from "../../config/config.ts";
import { channelPlace, inboxFile } from "../../config/resolve.ts";
import { unknownName } from "../../terminal/unknown-name.ts";
import { UserError } from "../../terminal/user-error.ts";
import {
  type EventsMark,
  eventMarkPaths,
  findEventLosses,
  firstSpoolFile,
  noEventsMark,
} from "../event/losses.ts";
import { eventFolders, openEmbeddedStore, requireEmbedded } from "../event/store.ts";
import { keepFilesPrivate } from "./folder.ts";
import { lockFolder } from "./lock.ts";
import { type MarkedStore, markedStores, markFile } from "./marks.ts";

/**
 * Accepts that a store has lost data, so that a server can start on it: its mark is set to what is there.
 * @throws UserError for an unknown store, or when a server runs on it
 */
export async function acceptLossOf(config: Config, name: string, stdout: Writable): Promise<void> {
  keepFilesPrivate();
  const store = markedStores.find((one) => one === name);
  if (store === undefined) {
    throw unknownName("store", name, markedStores);
  }
  const { lost, ifUnusable } =
    store === "events"
      ? { lost: await acceptEventLosses(config), ifUnusable: undefined }
      : await acceptCommitLosses(config, store);
  stdout.write(`${lost.length === 0 ? `no data of ${store} is known to be missing` : lost.join("\n")}\n`);
  if (ifUnusable !== undefined) throw new UserError(ifUnusable);
  if (lost.length > 0) stdout.write(`accepted: the next start opens ${store} as it is\n`);
}

async function acceptEventLosses(config: Config): Promise<readonly string[]> {
  requireEmbedded(config, "engage store accept-loss events");
  using _lock = lockFolder(join(config.data, "events"));
  await using store = await openEmbeddedStore(config);
  const loadedTo = store.loadedTo();
  const { lost } = await findEventLosses(config, { loadedTo });
  if (lost.length === 0) return lost;
  // The lost records may have introduced users. The intake introduces them again with their next record.
  const intakeFile = join(config.data, "events", "intake.db");
  if (existsSync(intakeFile)) {
    using intake = openIntake(intakeFile);
    await intake.markUnreported(loadedTo);
  }
  const paths = eventMarkPaths(config);
  const firstKept = await firstSpoolFile(eventFolders(config).spool);
  const before = readMark<EventsMark>(paths.store) ?? noEventsMark;
  const oldestFile = Math.max(firstKept, before.firstKept);
  rmSync(paths.spool, { force: true });
  rmSync(`${paths.spool}.files`, { force: true });
  using mark = openMarkFile<EventsMark>(paths.store);
  mark.write({ loadedTo, firstKept: oldestFile, accepted: oldestFile });
  return lost;
}

/** @throws UserError */
function openIntake(path: string): Intake & Disposable {
  try {
    return openSqliteIntake({ path });
  } catch (error) {
    if (!(error instanceof IntakeOpenError)) throw error;
    throw new UserError(`nothing was accepted: ${error.message}`, { cause: error });
  }
}

interface AcceptedCommits {
  readonly lost: readonly string[];
  /** Why the next start cannot open the file, and what to do. */
  readonly ifUnusable?: string;
}

/** Makes the next start open the file as it is, if it can be opened. */
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
          `"${file}" is no longer compared with its recorded contents: ${numbers.join(", ")} in ${mark.commits} commits`,
        ];
  if (fault === undefined) return { lost };
  const files = [file, `${file}-wal`].filter((one) => existsSync(one)).map((one) => `"${one}"`);
  const advice = `restore ${files.join(" and ")} from a backup, or move ${files.length > 1 ? "both" : "it"} away to start with an empty store`;
  return { lost, ifUnusable: `the store cannot be opened: ${fault}; ${advice}` };
}

/**
 * Returns why a file cannot be opened; undefined when it can be opened or does not exist.
 * @throws UserError when a server uses it
 */
async function findFault(store: Exclude<MarkedStore, "events">, path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  const openings = {
    inbox: async () => (await import("../../../store/inbox/sqlite/open.ts")).openSqliteInbox({ path }),
    channels: async () =>
      (await import("../../../store/channels/sqlite/open.ts")).openSqliteChannels({ path }),
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
  throw new UserError("channels are in PostgreSQL, where losses are not detected");
}
