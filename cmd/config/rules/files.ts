import { statSync } from "node:fs";
import { join } from "node:path";
import { type ConfigPath, formatPath } from "../problem.ts";
import { type Config, channelPlace, inboxFile } from "../resolve.ts";
import { configSchema, type Settings } from "../schema/schema.ts";
import { hasMeta, visit } from "../schema/walk.ts";
import type { Finding } from "../tls-files.ts";
import { valueAt } from "../tree.ts";
import { namesOf } from "./file-names.ts";

/** A file and its use: a setting that names it, or another one. */
interface UsedFile {
  readonly path?: ConfigPath;
  /** The other use: what follows "which" in a message. */
  readonly what?: string;
  /** An absolute path. */
  readonly file: string;
  /** What follows its name in the names of further files that belong to it. */
  readonly suffix?: RegExp;
  /** Those that may use one file together. Default: it is used alone. */
  readonly sharedBy?: "readers" | "targets";
}

/** A file that the settings were read from. */
export interface SourceFile {
  /** What follows "which" in a message. */
  readonly what: string;
  readonly file: string;
}

const ofSqlite = /^-(?:wal|shm|journal)$/;
const ofRotation = /^\.\d+$/;
const inFolder = /^\//;

/** The files of the data folder that no setting names, and what follows their names in those beside them. */
const ownNames: readonly (readonly [name: string, suffix?: RegExp])[] = [
  ["backup.id"],
  ["clicks", inFolder],
  ["events/imports.ndjson"],
  ["events/intake.db", ofSqlite],
  ["events/lock", /^\.pid$/],
  ["events/move.id"],
  ["events/results", inFolder],
  ["events/spool", inFolder],
  ["events/staging", inFolder],
  ["events/store", inFolder],
  ["marks", inFolder],
  ["savedqueries/savedqueries.db", ofSqlite],
  ["tokens.json", /^\.(?:lock|new)$/],
];

/** Checks that no file which is written for one use is used for another. */
export function checkFiles(settings: Settings, config: Config, sources: readonly SourceFile[]): Finding[] {
  const files = [
    ...ownFiles(config),
    ...sources.map((source): UsedFile => ({ ...source, sharedBy: "readers" })),
    ...[...writtenFiles(config), ...readFiles(config)].filter(({ file }) => mayBeFile(file)),
  ];
  const used = files.map((one) => ({
    ...one,
    isSet: one.path === undefined || valueAt(settings, one.path) !== undefined,
    names: namesOf(one.file),
  }));
  return used.flatMap((later, at): Finding[] => {
    if (later.path === undefined) return [];
    const owner = used.find((one) => belongsTo(later.names, one));
    if (owner !== undefined) return [refuse(later, owner, "uses")];
    const isAmiss = ({ names, sharedBy }: (typeof used)[number]): boolean =>
      names.at(-1) === later.names.at(-1) && (sharedBy === undefined || sharedBy !== later.sharedBy);
    const earlier = used.slice(0, at).find(isAmiss);
    if (earlier === undefined) return [];
    const isLater = later.isSet || earlier.path === undefined;
    return [isLater ? refuse(later, earlier, "is") : refuse(earlier, later, "is")];
  });
}

function refuse(
  { path = [], file }: UsedFile,
  other: UsedFile & { readonly isSet: boolean },
  verb: "is" | "uses",
): Finding {
  const setting = `${formatPath(other.path ?? [])}${other.isSet ? "" : ", by default,"}`;
  const message = `is the file ${JSON.stringify(file)}, which ${other.what ?? `${setting} ${verb} too`}: choose another one`;
  return { path, message, ...(other.path !== undefined && { needs: other.path }) };
}

/** Whether a file with one of the names is a further file of another one. */
function belongsTo(
  names: readonly string[],
  other: Pick<UsedFile, "suffix"> & { readonly names: readonly string[] },
): boolean {
  return other.names.some((start) =>
    names.some((name) => name.startsWith(start) && other.suffix?.test(name.slice(start.length))),
  );
}

/** Whether a path is that of a file, or of none yet. Others, such as devices, are not changed by what is written. */
function mayBeFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}

function ownFiles({ data }: Config): UsedFile[] {
  return ownNames.map(([name, suffix]) => ({
    what: "the server writes itself",
    file: join(data, name),
    ...(suffix !== undefined && { suffix }),
  }));
}

function writtenFiles(config: Config): UsedFile[] {
  const { data, webhook, events, parser } = config;
  const channels = channelPlace(config);
  const sqlite = { suffix: ofSqlite };
  const rotated = { suffix: ofRotation };
  return [
    ...(webhook.inbox.driver === "sqlite"
      ? [{ path: ["webhook", "inbox", "file"], file: inboxFile(config), ...sqlite }]
      : []),
    ...(channels.driver === "sqlite"
      ? [{ path: ["channel", "store", "file"], file: channels.file, ...sqlite }]
      : []),
    { path: ["events", "deadLetters", "file"], file: join(data, events.deadLetters.file), ...rotated },
    { path: ["parser", "deadLetters", "file"], file: join(data, parser.deadLetters.file), ...rotated },
    ...Object.entries(webhook.targets).flatMap(([name, target]): UsedFile[] =>
      target.kind === "file"
        ? [{ path: ["webhook", "targets", name, "path"], file: target.path, sharedBy: "targets" }]
        : [],
    ),
  ];
}

function readFiles(config: Config): UsedFile[] {
  const files: UsedFile[] = [];
  visit(configSchema, config, (value, schemas, path) => {
    const isRead = typeof value === "string" && schemas.some((schema) => hasMeta(schema, "read"));
    if (isRead) files.push({ path, file: value, sharedBy: "readers" });
  });
  return files;
}
