import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import { channelPlace, inboxFile } from "../../config/resolve.ts";
import { savedQueriesFile } from "../analysis/saved-queries.ts";
import { markFile } from "../data/marks.ts";
import { eventMarkPaths } from "../event/losses.ts";
import { eventFolders } from "../event/store.ts";
import { clickFolder } from "../webhook/click-spool.ts";

/** A file, or several files in one folder, of a data folder. */
export interface Place {
  readonly folder: string;
  /** The name of the file, with which those of its log and of its predecessors begin; "" for a folder of files. */
  readonly name: string;
  /** Whether the files stay as they are while they are held. */
  readonly isHeld: boolean;
  /** Returns its files among the names in the folder, in the order in which they are copied. */
  readonly select: (names: readonly string[]) => readonly string[];
}

/** Returns the places of what a configuration stores in files, apart from marks. */
export function storesOf(config: Config): readonly Place[] {
  const { data } = config;
  const events = join(data, "events");
  const hasEvents = config.events.driver === "duckdb";
  const hasInbox = config.webhook.inbox.driver === "sqlite";
  const channels = channelPlace(config);
  return [
    ...(hasEvents
      ? [
          held(join(eventFolders(config).store, "events.duckdb"), ".wal"),
          held(join(events, "intake.db"), "-wal"),
          file(join(events, "imports.ndjson")),
          all(eventFolders(config).spool, /^\d+\.ndjson$/),
        ]
      : []),
    ...(hasInbox ? [held(inboxFile(config), "-wal")] : []),
    ...(channels.driver === "sqlite" ? [held(channels.file, "-wal")] : []),
    held(savedQueriesFile(config), "-wal"),
    // The place up to which clicks are forwarded first: some are sent again then, and none is left out.
    file(join(clickFolder(config), "forward.json")),
    all(clickFolder(config), /^(?:\d+\.ndjson|dead-letters\.ndjson(?:\.\d+)?)$/),
    rotated(join(data, config.events.deadLetters.file)),
    rotated(join(data, config.parser.deadLetters.file)),
    file(join(data, "tokens.json")),
  ];
}

/** Returns the places of marks. They are copied and restored first, so that none is ahead of its store. */
export function marksOf(config: Config): readonly Place[] {
  const events = eventMarkPaths(config);
  const channels = channelPlace(config);
  return [
    file(join(config.data, "marks", "clock.mark")),
    file(events.store),
    file(events.spool),
    file(`${events.spool}.files`),
    file(markFile(config, "inbox", inboxFile(config))),
    ...(channels.driver === "sqlite" ? [file(markFile(config, "channels", channels.file))] : []),
    file(markFile(config, "clicks", clickFolder(config))),
  ];
}

/**
 * Returns the same configuration for a data folder at another place, which holds all stores under their default names.
 */
export function inFolder(config: Config, data: string): Config {
  const { webhook, channel, events, parser } = config;
  return {
    ...config,
    data,
    webhook: { ...webhook, inbox: { ...webhook.inbox, file: undefined } },
    channel: { ...channel, store: { ...channel.store, file: undefined } },
    events: { ...events, deadLetters: { ...events.deadLetters, file: "deadletters/events.ndjson" } },
    parser: { ...parser, deadLetters: { ...parser.deadLetters, file: "deadletters/parser.ndjson" } },
  };
}

/** Returns the names of the existing files of a place. */
export function namesOf({ folder, select }: Place): readonly string[] {
  return select(existsSync(folder) ? readdirSync(folder) : []);
}

/** Returns the name that a file of one place has in the same place of another folder. */
export function nameIn(to: Place, from: Place, name: string): string {
  return `${to.name}${name.slice(from.name.length)}`;
}

function file(path: string): Place {
  const name = basename(path);
  return {
    folder: dirname(path),
    name,
    isHeld: false,
    select: (names) => names.filter((one) => one === name),
  };
}

/** A file and its log. The file is first, since only its log may grow meanwhile. */
function held(path: string, suffix: string): Place {
  const name = basename(path);
  const select = (names: readonly string[]) =>
    [name, `${name}${suffix}`].filter((one) => names.includes(one));
  return { folder: dirname(path), name, isHeld: true, select };
}

function all(folder: string, pattern: RegExp): Place {
  const select = (names: readonly string[]) => names.filter((one) => pattern.test(one)).sort();
  return { folder, name: "", isHeld: false, select };
}

/** A file and its numbered predecessors. */
function rotated(path: string): Place {
  const name = basename(path);
  const isPart = (one: string) => one.startsWith(name) && /^(?:\.\d+)?$/.test(one.slice(name.length));
  return { folder: dirname(path), name, isHeld: false, select: (names) => names.filter(isPart).sort() };
}
