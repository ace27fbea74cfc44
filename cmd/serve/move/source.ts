import { join } from "node:path";
import type { Writable } from "node:stream";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { ContentsReader } from "../../../store/events/contents.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { Config } from "../../config/config.ts";
import { writeForeign } from "../../terminal/terminal.ts";
import { UserError } from "../../terminal/user-error.ts";
import { openDeadLetters } from "../data/dead-letters.ts";
import { folderId } from "../data/folder-id.ts";
import { lockFolder } from "../data/lock.ts";
import { openEventLoading } from "../event/loading.ts";
import { hasSpooledRecords, openEmbeddedStore } from "../event/store.ts";
import { readServed } from "./contents-socket.ts";

export interface MoveStreams {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** The data folder that is moved. */
export interface MoveSource extends AsyncDisposable {
  readonly reader: ContentsReader;
  /** The store; undefined while a server runs on the folder. */
  readonly store: EventStore | undefined;
}

/**
 * Opens the data folder, where records that wait are loaded first. While a server runs on it, its store is read through
 * that server.
 */
export async function openMoveSource(
  config: Config,
  streams: MoveStreams,
  signal: AbortSignal,
): Promise<MoveSource> {
  await using opened = new AsyncDisposableStack();
  const lock = tryLock(join(config.data, "events"));
  if (lock === undefined) {
    return { reader: readServed(config), store: undefined, async [Symbol.asyncDispose]() {} };
  }
  opened.use(lock);
  if (await hasSpooledRecords(config)) await loadWaiting(config, streams, signal);
  const store = opened.use(await openEmbeddedStore(config));
  const stack = opened.move();
  return { reader: store, store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function tryLock(folder: string): Disposable | undefined {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Loads the records that the server has accepted and not loaded. */
async function loadWaiting(config: Config, { stderr }: MoveStreams, signal: AbortSignal): Promise<void> {
  const say = (what: string, error: unknown): void => {
    writeForeign(stderr, `engage: ${what}: ${errorMessage(error)}\n`);
  };
  await using deadLetters = await openDeadLetters(config, config.events.deadLetters, {
    list: "events",
    database: undefined,
    observer: {
      written() {},
      dropped() {},
      resumed() {},
      failed: (error) => say("refused records cannot be written", error),
    },
  });
  await using loading = await openEventLoading(config, {
    deadLetters,
    observer: {
      loaded() {},
      overLimit() {},
      failed: (error, delayMs) => say(`tried again in ${delayMs} ms`, error),
    },
    torn() {},
    changed: (description) => say("files of events were changed by another program", description),
  });
  await loading.loader.flush(signal);
}

/** Returns the random name by which the target recognizes this data folder. */
export function sourceName({ data }: Pick<Config, "data">): string {
  return folderId(join(data, "events", "move.id"));
}
