import { formatOf, rowWordOf } from "./files.ts";
import type { ImportOptions } from "./target.ts";

/** Where an import goes on: at the row after `skip` rows of the first of `files`; at its end there is no file. */
export interface ImportPosition {
  readonly files: readonly string[];
  readonly skip: number;
}

/** `line 5 of "a.ndjson"`, or undefined at the end. */
export function describePosition(
  { files: [file], skip }: ImportPosition,
  { format }: ImportOptions,
): string | undefined {
  if (file === undefined) return undefined;
  const name = file === "-" ? "standard input" : JSON.stringify(file);
  return `${rowWordOf(format ?? formatOf(file))} ${skip + 1} of ${name}`;
}

/** `lines` or `rows`, which are counted in the file. */
export function rowsWord(file: string, { format }: ImportOptions): string {
  return `${rowWordOf(format ?? formatOf(file))}s`;
}

/** The words of a command line that begins there. */
export function argumentsOf({ files, skip }: ImportPosition): string {
  return [...(skip > 0 ? ["--skip", String(skip)] : []), ...files].map(shellWord).join(" ");
}

function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
