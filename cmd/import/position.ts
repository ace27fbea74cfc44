import { formatOf, rowWordOf } from "./files.ts";
import type { ImportOptions } from "./target.ts";

/**
 * The position at which an import continues: after `skip` rows of the first of `files`. There are no files at the end.
 */
export interface ImportPosition {
  readonly files: readonly string[];
  readonly skip: number;
}

/** Describes a position as `line 5 of "a.ndjson"`; undefined at the end. */
export function describePosition(
  { files: [file], skip }: ImportPosition,
  { format }: ImportOptions,
): string | undefined {
  if (file === undefined) return undefined;
  const name = file === "-" ? "standard input" : JSON.stringify(file);
  return `${rowWordOf(format ?? formatOf(file))} ${skip + 1} of ${name}`;
}

/** Returns the unit that is counted in the file: `lines` or `rows`. */
export function rowUnit(file: string, { format }: ImportOptions): string {
  return `${rowWordOf(format ?? formatOf(file))}s`;
}

/** Returns the command-line arguments that continue at the position. */
export function argumentsOf({ files, skip }: ImportPosition): string {
  return [...(skip > 0 ? ["--skip", String(skip)] : []), ...files].map(quoteForShell).join(" ");
}

function quoteForShell(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
