import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { cannotRead, cannotWrite } from "../terminal/file-fault.ts";
import { UserError } from "../terminal/user-error.ts";
import { type ImportPosition, rowUnit } from "./position.ts";
import type { ImportOptions } from "./target.ts";

/** Records which files have been imported, since events that are imported twice are counted twice. */
export interface ImportLedger {
  /**
   * Checks that files have not been imported before.
   * @param hasUuids whether the records of a file have a #uuid, by which the store detects duplicates
   * @returns warnings about imported files whose records have one
   * @throws UserError if any other file, or the part of it that would be read, was imported before
   */
  check(files: readonly string[], hasUuids: (file: string) => boolean): readonly string[];
  /** Records that everything before the position is stored. */
  record(files: readonly string[], position: ImportPosition): void;
}

interface Entry {
  readonly mark: string;
  readonly file: string;
  /** The number of imported lines or rows; null for all. */
  readonly rows: number | null;
  readonly time: string;
}

const nothing: ImportLedger = { check: () => [], record() {} };

/**
 * Opens the ledger in the data folder. An import into a server is recorded in the data folder of this machine if there
 * is one. A dry run stores nothing, so nothing is recorded.
 */
export function openLedger(config: Config, projectId: number, options: ImportOptions): ImportLedger {
  if (options.dryRun === true || (options.url !== undefined && !existsSync(config.data))) return nothing;
  const path = join(config.data, "events", "imports.ndjson");
  const { format, mapping, map, url } = options;
  const text = mapping === undefined ? "" : readText(mapping);
  const marks = new Map<string, string>();
  const markOf = (file: string): string | undefined => {
    if (file === "-" || !statSync(file).isFile()) return undefined;
    const known = marks.get(file) ?? contentMark(file, JSON.stringify({ projectId, format, text, map, url }));
    marks.set(file, known);
    return known;
  };
  return {
    check(files, hasUuids) {
      const before = readEntries(path);
      const now = new Map<string, string>();
      const warnings: string[] = [];
      for (const [index, file] of files.entries()) {
        const mark = options.again === true ? undefined : markOf(file);
        if (mark === undefined) continue;
        const skip = index === 0 ? (options.skip ?? 0) : 0;
        const fault = repeatedFault(file, now.get(mark)) ?? importedOf(file, before.get(mark), skip, options);
        now.set(mark, file);
        if (fault === undefined) continue;
        // The store detects recent duplicates. Later ones are counted again.
        if (!hasUuids(file)) throw new UserError(`${fault}; --again imports it nevertheless`);
        warnings.push(`${fault}, but for records whose #uuid is still known`);
      }
      return warnings;
    },
    record(files, position) {
      const done = files.slice(0, files.length - position.files.length);
      const time = new Date().toISOString();
      const entryOf = (file: string, rows: number | null): string => {
        const mark = markOf(file);
        return mark === undefined
          ? ""
          : `${JSON.stringify({ mark, file: resolve(file), rows, time } satisfies Entry)}\n`;
      };
      const [open] = position.files;
      const part = open === undefined || position.skip === 0 ? "" : entryOf(open, position.skip);
      append(path, done.map((file) => entryOf(file, null)).join("") + part);
    },
  };
}

const quoted = (file: string): string => JSON.stringify(file);

function repeatedFault(file: string, twin: string | undefined): string | undefined {
  return twin === undefined
    ? undefined
    : `${quoted(file)} and ${quoted(twin)} are the same, whose events would be counted twice`;
}

function importedOf(
  file: string,
  entry: Entry | undefined,
  skip: number,
  options: ImportOptions,
): string | undefined {
  if (entry === undefined || (entry.rows !== null && skip >= entry.rows)) return undefined;
  const { rows, time } = entry;
  const name = resolve(file) === entry.file ? "" : ` as ${quoted(entry.file)}`;
  if (rows === null)
    return `${quoted(file)} was imported at ${time}${name}: its events would be counted twice`;
  const what = `${rows} ${rowUnit(file, options)} of ${quoted(file)} were imported at ${time}${name}`;
  return `${what}: --skip ${rows} goes on after them, else they would be counted twice`;
}

const sampleBytes = 65_536;
const samples = 16;

/** Returns a hash of the size and of samples of a file, and of everything that determines its records. */
function contentMark(file: string, context: string): string {
  const { size } = statSync(file);
  const hash = createHash("sha256").update(`${context}\n${size}\n`);
  const buffer = Buffer.alloc(sampleBytes);
  const handle = openSync(file, "r");
  try {
    const last = Math.max(0, size - sampleBytes);
    const offsets = Array.from({ length: samples }, (_, index) => Math.floor((last * index) / (samples - 1)));
    for (const offset of new Set(offsets)) {
      const read = readSync(handle, buffer, 0, sampleBytes, offset);
      hash.update(buffer.subarray(0, read));
    }
  } catch (error) {
    throw cannotRead(file, error);
  } finally {
    closeSync(handle);
  }
  return hash.digest("hex");
}

/** Returns the latest entry of each mark. A line that was truncated by a crash is skipped. */
function readEntries(path: string): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const line of existsSync(path) ? readText(path).split("\n") : []) {
    try {
      const entry = JSON.parse(line) as Entry;
      entries.set(entry.mark, entry);
    } catch {}
  }
  return entries;
}

function append(path: string, lines: string): void {
  if (lines === "") return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, lines, { mode: 0o600, flush: true });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw cannotRead(path, error);
  }
}
