import { dirname, resolve } from "node:path";
import type { Override } from "./environment/environment.ts";
import { type ConfigPath, formatPath, isWithin, type Problem } from "./problem.ts";
import type { ConfigSource } from "./source.ts";
import type { ValueSource } from "./values.ts";

/** Finds the origins of the values of a configuration. */
export interface Places {
  /**
   * Creates a problem at the origin of a value.
   * @param part the part to point at: a key that is wrong, or (the default) its value
   */
  locate(path: ConfigPath, message: string, part?: "key" | "value"): Problem;
  sourceOf(path: ConfigPath): ValueSource;
  /** Returns the base of a relative path in this setting: the folder of the file, or the working folder. */
  folderOf(path: ConfigPath): string;
}

export function createPlaces(source: ConfigSource, overrides: readonly Override[], cwd: string): Places {
  // The last variable wins, as it does for the value.
  const overrideOf = (path: ConfigPath) => overrides.findLast((one) => isWithin(path, one.path));
  /** Returns the environment variable that set a value nearer to the path than the file did. */
  const closest = (path: ConfigPath) => {
    const depth = source.depthOf(path);
    return overrideOf(path) ?? overrides.find((one) => commonLength(one.path, path) > depth);
  };
  return {
    locate(path, message, part) {
      const override = closest(path);
      const { line, col } = source.place(path, part);
      const where = override === undefined ? `${source.file}:${line}:${col}` : `environment ${override.name}`;
      return { where, path: formatPath(path), message };
    },
    sourceOf(path) {
      const override = overrideOf(path);
      if (override !== undefined) return { kind: "environment", variable: override.name };
      if (!source.gives(path)) return { kind: "default" };
      return { kind: "file", file: source.file, line: source.place(path).line };
    },
    folderOf: (path) =>
      overrideOf(path) === undefined && source.gives(path) ? dirname(resolve(cwd, source.file)) : cwd,
  };
}

function commonLength(a: ConfigPath, b: ConfigPath): number {
  const end = a.findIndex((key, i) => String(key) !== String(b[i]));
  return end === -1 ? a.length : end;
}
