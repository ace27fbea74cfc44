import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { openMarkFile, readMark } from "../../base/files/mark-file.ts";
import type { RecordPlace } from "./records.ts";
import { segmentName } from "./segment-files.ts";

/** Where the acknowledged records of a spool end. */
export interface SpoolEnd extends RecordPlace {
  /** In this file; undefined when it is of a version before. */
  readonly lines?: number | undefined;
}

/** What is known of a spool apart from its files, so that a start notices when some are cut or deleted. */
export interface SpoolMark extends Disposable {
  readonly found: SpoolEnd | undefined;
  /** To be called once the records up to here are on disk, before they are acknowledged. */
  reached(end: SpoolEnd): void;
  /** Nothing more is written to a file. */
  closed(end: SpoolEnd): void;
}

/** @param path of the mark; beside it, as `.files`, lie the ends of the files before the last */
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
        // A loss in this file may go unnoticed; the records are on disk.
      }
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** Records of one file that were acknowledged, and are not there. */
export interface MissingRecords {
  readonly file: string;
  /** Bytes of the file from here on; 0 when it is missing. */
  readonly from: number;
  readonly to: number;
  /** Of the whole file, where known. */
  readonly lines: number | undefined;
  readonly isFileMissing: boolean;
  /** Everything that is missing has been read before, so nothing is lost. */
  readonly isRead: boolean;
}

/**
 * Compares the files of a spool with its mark. To be called before it is opened.
 * @param read the place up to which the records are read; undefined: none are
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
  // Files that have been read are deleted.
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
