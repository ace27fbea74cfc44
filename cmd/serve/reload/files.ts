import { statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { type ConfigPath, formatPath, isWithin } from "../../config/problem.ts";
import { configSchema } from "../../config/schema/schema.ts";
import { hasMeta, visit } from "../../config/schema/walk.ts";

interface FileStamp {
  readonly path: ConfigPath;
  readonly file: string;
  /** Another one when the file is written or replaced. */
  readonly stamp: string;
}

/** The files that settings name and that are read once, by the paths of the settings. */
export type FileStamps = ReadonlyMap<string, FileStamp>;

export function stampFiles(config: Config): FileStamps {
  const found = new Map<string, FileStamp>();
  visit(configSchema, config, (value, schemas, path) => {
    if (typeof value !== "string" || !schemas.some((schema) => hasMeta(schema, "read"))) return;
    found.set(formatPath(path), { path, file: value, stamp: stampOf(value) });
  });
  return found;
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

/**
 * Returns the paths of the settings whose files have changed.
 * @param except paths of settings that have changed anyway
 */
export function changedFiles(
  running: FileStamps,
  wanted: FileStamps,
  except: readonly ConfigPath[],
): readonly ConfigPath[] {
  return Array.from(wanted, ([key, { path, file, stamp }]) => {
    const before = running.get(key);
    const isSame = before === undefined || before.file !== file || before.stamp === stamp;
    return isSame || except.some((other) => isWithin(path, other)) ? [] : [path];
  }).flat();
}

/** Returns the new stamps, with the old ones of files that are not read again before the next start. */
export function keepStamps(
  wanted: FileStamps,
  running: FileStamps,
  needRestart: readonly ConfigPath[],
): FileStamps {
  return new Map(
    Array.from(wanted, ([key, one]) => {
      const isRead = !needRestart.some((path) => isWithin(one.path, path));
      return [key, isRead ? one : (running.get(key) ?? one)];
    }),
  );
}
