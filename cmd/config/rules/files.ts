import { readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type ConfigPath, formatPath } from "../problem.ts";
import { type Config, channelPlace, inboxFile } from "../resolve.ts";
import { configSchema, type Settings } from "../schema/schema.ts";
import { hasMeta, visit } from "../schema/walk.ts";
import type { Finding } from "../tls-files.ts";
import { valueAt } from "../tree.ts";

/** A setting and the absolute path of its file. */
interface UsedFile {
  readonly path: ConfigPath;
  readonly file: string;
  /** Those that may use one file together. Default: it is used alone. */
  readonly sharedBy?: "readers" | "targets";
}

/** Checks that no file which is written for one setting is used for another. */
export function checkFiles(settings: Settings, config: Config): Finding[] {
  const used = [...writtenFiles(config), ...readFiles(config)].map((one) => ({
    ...one,
    isSet: valueAt(settings, one.path) !== undefined,
    identity: identityOf(one.file),
  }));
  return used.flatMap((later, at): Finding[] => {
    const isAmiss = ({ identity, sharedBy }: (typeof used)[number]): boolean =>
      identity === later.identity && (sharedBy === undefined || sharedBy !== later.sharedBy);
    const earlier = used.slice(0, at).find(isAmiss);
    if (earlier === undefined) return [];
    const [own, other] = later.isSet ? [later, earlier] : [earlier, later];
    const setting = `${formatPath(other.path)}${other.isSet ? "" : ", by default,"}`;
    const message = `is the file ${JSON.stringify(own.file)}, which ${setting} is too: choose another one`;
    return [{ path: own.path, message, needs: other.path }];
  });
}

function writtenFiles(config: Config): UsedFile[] {
  const { data, webhook, events, parser } = config;
  const channels = channelPlace(config);
  return [
    ...(webhook.inbox.driver === "sqlite"
      ? [{ path: ["webhook", "inbox", "file"], file: inboxFile(config) }]
      : []),
    ...(channels.driver === "sqlite" ? [{ path: ["channel", "store", "file"], file: channels.file }] : []),
    { path: ["events", "deadLetters", "file"], file: join(data, events.deadLetters.file) },
    { path: ["parser", "deadLetters", "file"], file: join(data, parser.deadLetters.file) },
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

/** The maximum number of links in a row, as of Linux. */
const maxLinks = 40;

/** Returns a text that is the same for all paths of one file, as far as that is known before it exists. */
function identityOf(path: string, links = maxLinks): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    const folder = dirname(path);
    const target = links > 0 ? linkedFrom(path) : undefined;
    if (target !== undefined) return identityOf(resolve(realpathSync(folder), target), links - 1);
    return folder === path ? path : join(identityOf(folder, links), basename(path));
  }
}

/** Returns the target of a symbolic link; undefined: there is none. */
function linkedFrom(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
