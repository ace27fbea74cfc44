import type { z } from "zod";
import { nearestName } from "../../base/text/nearest.ts";
import { validate } from "./issues.ts";
import { type ConfigPath, isWithin } from "./problem.ts";
import { valueAt, withoutPaths, withValue } from "./tree.ts";

/** The valid part of a configuration. */
export interface ValidPart<T> extends Missing {
  readonly settings: T;
  /**
   * Returns the path in the whole configuration of a path in the settings. They differ after removed elements of lists.
   */
  placeOf(path: ConfigPath): ConfigPath;
}

/** Paths in the whole configuration. */
interface Missing {
  readonly removed: readonly ConfigPath[];
  /** Entries that were replaced by minimal valid ones with the same name, since other settings refer to them. */
  readonly replaced: readonly ConfigPath[];
}

/** The limit of rounds. Each removes invalid values, then the values that require them. */
const maxRounds = 12;

/**
 * Removes the invalid values from a tree, so that the rules between settings can be checked in the rest.
 * @returns undefined if the whole tree is invalid
 */
export function findValidPart<S extends z.ZodType>(
  schema: S,
  tree: unknown,
): ValidPart<z.output<S>> | undefined {
  let wrong: readonly ConfigPath[] = [];
  for (let round = 0; round < maxRounds; round++) {
    const { rest, ...missing } = takeOut(tree, wrong);
    const { value, findings } = validate(schema, rest);
    const placeOf = (path: ConfigPath) => originalPlace(path, missing.removed);
    if (value !== undefined) return { settings: value, ...missing, placeOf };
    const more = findings.map(({ path }) => {
      const place = placeOf(path);
      const isRemoved = valueAt(tree, place) === undefined || wrong.some((one) => isWithin(place, one));
      return isRemoved ? place.slice(0, -1) : place;
    });
    if (more.some((path) => path.length === 0)) return undefined;
    wrong = [...wrong, ...more];
  }
  return undefined;
}

function takeOut(tree: unknown, wrong: readonly ConfigPath[]): Missing & { readonly rest: unknown } {
  const replaced = wrong.filter((path) => standInFor(path, tree) !== undefined);
  const removed = wrong.filter((path) => !replaced.some((entry) => isWithin(path, entry)));
  const rest = replaced.reduce((result, path) => withValue(result, path, standInFor(path, tree)), tree);
  return { rest: withoutPaths(rest, removed), removed, replaced };
}

function standInFor(path: ConfigPath, tree: unknown): object | undefined {
  const [section, kind] = path;
  if (section !== "webhook" || path.length !== 3) return undefined;
  if (kind === "targets") return { kind: "log" };
  return kind === "channels" ? minimalChannel(valueAt(tree, path)) : undefined;
}

function minimalChannel(channel: unknown): object {
  const targets = valueAt(channel, ["targets"]);
  const isList =
    Array.isArray(targets) && targets.every((name) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(String(name)));
  return { auth: "off", targets: isList ? [...new Set(targets.map(String))] : [] };
}

function originalPlace(path: ConfigPath, removed: readonly ConfigPath[]): ConfigPath {
  const place: (string | number)[] = [];
  for (const key of path) {
    const before = removed
      .filter((one) => one.length === place.length + 1 && isWithin(one, place))
      .map((one) => Number(one.at(-1)));
    let index = key;
    if (typeof index === "number") {
      for (const other of [...new Set(before)].sort((a, b) => a - b)) if (other <= index) index++;
    }
    place.push(index);
  }
  return place;
}

/** The settings on which a rule depends, besides the one that it reports. */
export interface Dependency {
  readonly path: ConfigPath;
  /** The setting that decides, or the list or section in which a name is looked up. */
  readonly needs?: ConfigPath;
  /** The name that was looked up. */
  readonly named?: string | number;
}

/** Whether a finding may be due to the removed values instead of the user's ones. */
export function isDoubtful(
  { path, needs, named }: Dependency,
  tree: unknown,
  { removed, replaced }: Missing,
): boolean {
  if (removed.some((one) => isWithin(path, one) || isWithin(one, path))) return true;
  if (needs === undefined) return false;
  if (named === undefined && replaced.some((entry) => isWithin(entry, needs))) return true;
  return removed.some((one) => {
    if (isWithin(needs, one) || isMisspelt(one, needs)) return true;
    return isWithin(one, needs) && (named === undefined || holds(valueAt(tree, needs), named));
  });
}

function isMisspelt(removed: ConfigPath, meant: ConfigPath): boolean {
  const isBeside = removed.length === meant.length && isWithin(removed, meant.slice(0, -1));
  return isBeside && nearestName(String(removed.at(-1)), [String(meant.at(-1))]) !== undefined;
}

/** Whether a section has an entry of this name, or a list has one of this name or id. */
function holds(collection: unknown, named: string | number): boolean {
  if (!Array.isArray(collection)) return valueAt(collection, [named]) !== undefined;
  return collection.some((entry: unknown) =>
    ["name", "id"].some((key) => String(valueAt(entry, [key])) === String(named)),
  );
}
