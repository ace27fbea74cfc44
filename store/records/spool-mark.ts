import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { openMarkFile, readMark } from "../../base/files/mark-file.ts";
import type { RecordPlace } from "./records.ts";
import { segmentName } from "./segment-files.ts";

/** The end of the acknowledged records of a file. */
export interface SpoolEnd extends RecordPlace {
  /** The number of lines in this file; undefined when an earlier version wrote it. */
  readonly lines?: number | undefined;
}

/** Stores, outside the files of a spool, how much they contain, so that a start detects truncated or deleted files. */
export interface SpoolMark extends Disposable {
  readonly found: SpoolEnd | undefined;
  /** Reports that the records up to here are on disk, before they are acknowledged. */
  reached(end: SpoolEnd): void;
  /** Reports that nothing more is written to a file. */
  closed(end: SpoolEnd): void;
}

/**
 * Opens the mark.
 * @param path the file of the mark; beside it, as `.files`, are the ends of earlier files
 */
export function openSpoolMark(path: string, from: RecordPlace | undefined): SpoolMark {
  const file = openMarkFile<SpoolEnd>(path);
  const ends = readEnds(path).filter(({ number }) => number >= (from?.number ?? 0));
  return {
    found: file.found,
    reached: (end) => file.write(end),
    closed(end) {
      ends.push(end);
      try {
        writeFileSync(`${endsPath(path)}.new`, JSON.stringify(ends), { mode: 0o600 });
        renameSync(`${endsPath(path)}.new`, endsPath(path));
      } catch {
        // A loss in this file may go undetected; the records are on disk.
      }
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** Acknowledged records of one file which are missing. */
export interface MissingRecords {
  readonly file: string;
  /** The first missing byte of the file; 0 when the file is missing. */
  readonly from: number;
  readonly to: number;
  /** The number of lines in the whole file, where known. */
  readonly lines: number | undefined;
  readonly isFileMissing: boolean;
  /** Whether everything missing has been read before, so that nothing is lost. */
  readonly isRead: boolean;
}

/**
 * Compares the files of a spool with its mark. To be called before the spool is opened.
 * @param read the place up to which the records have been read; undefined: none have
 */
export async function findMissing(
  folder: string,
  path: string,
  read: RecordPlace | undefined,
): Promise<readonly MissingRecords[]> {
  const last = readMark<SpoolEnd>(path);
  if (last === undefined) return [];
  const ends = [...readEnds(path).filter(({ number }) => number < last.number), last];
  const found = await Promise.all(ends.map((end) => compare(folder, end, read)));
  return found.filter((missing) => missing !== undefined);
}

async function compare(
  folder: string,
  { number, offset, lines }: SpoolEnd,
  read: RecordPlace | undefined,
): Promise<MissingRecords | undefined> {
  const readTo = read === undefined || read.number < number ? 0 : read.number > number ? offset : read.offset;
  const isRead = readTo >= offset;
  const file = join(folder, segmentName(number));
  const size = await stat(file).then(
    (found) => found.size,
    () => undefined,
  );
  if (size !== undefined && size >= offset) return undefined;
  // Read files are deleted.
  if (size === undefined && isRead) return undefined;
  const from = isRead ? (size ?? 0) : Math.max(size ?? 0, readTo);
  return { file, from, to: offset, lines, isFileMissing: size === undefined, isRead };
}

const endsPath = (path: string): string => `${path}.files`;

function readEnds(path: string): SpoolEnd[] {
  try {
    return JSON.parse(readFileSync(endsPath(path), "utf8")) as SpoolEnd[];
  } catch {
    return [];
  }
}
