import { readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The maximum number of links in a row, as of Linux. */
const maxLinks = 40;

/**
 * Returns texts of which two paths of one file have the last one in common: the names of the path and of what it links
 * to, each after the identity of its folder, and the identity of the file if it exists.
 */
export function namesOf(path: string): readonly string[] {
  const names = linkedNames(path, maxLinks);
  const number = numberOf(path);
  return number === undefined ? names : [...names, number];
}

function linkedNames(path: string, links: number): readonly string[] {
  const folder = dirname(path);
  if (folder === path) return [path];
  const target = links > 0 ? linkedFrom(path) : undefined;
  const name = join(numberOf(folder) ?? linkedNames(folder, links).at(-1)!, basename(path));
  return target === undefined
    ? [name]
    : [name, ...linkedNames(resolve(realpathSync(folder), target), links - 1)];
}

/** Returns the number of an existing file, which all paths of it share. */
function numberOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Returns the target of a symbolic link; undefined if the path is none. */
function linkedFrom(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
