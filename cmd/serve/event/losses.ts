import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { readMark } from "../../../base/files/mark-file.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import { listSegments } from "../../../store/records/segment-files.ts";
import { findMissing, type MissingRecords } from "../../../store/records/spool-mark.ts";
import type { Config } from "../../config/config.ts";
import { acceptLoss, markFile } from "../data/marks.ts";
import { eventFolders } from "./store.ts";

/** The state of the event store, recorded outside of it. */
export interface EventsMark {
  /** The place up to which the store has loaded the spool. */
  readonly loadedTo?: SpoolPlace | undefined;
  /**
   * The number of the first file of the spool that is kept. Earlier ones were deleted after the store had loaded them.
   */
  readonly firstKept: number;
  /** The number of a file of the spool. The losses of earlier files were accepted. */
  readonly accepted: number;
}

export interface EventLosses {
  /** Descriptions of acknowledged records that are missing, with the file and the places. */
  readonly lost: readonly string[];
  /** Descriptions of changes that are no losses. */
  readonly changed: readonly string[];
}

export const noEventsMark: EventsMark = { firstKept: 1, accepted: 1 };

export function eventMarkPaths(config: Pick<Config, "data">) {
  const { store, spool } = eventFolders(config);
  return { store: markFile(config, "events", store), spool: markFile(config, "events", spool) };
}

/**
 * Finds the events that the data folder has lost since its last run.
 * @param opened the state of the open store. If it is left out, the mark of the store is used.
 */
export async function findEventLosses(
  config: Pick<Config, "data">,
  opened?: { readonly loadedTo: SpoolPlace | undefined },
): Promise<EventLosses> {
  const folders = eventFolders(config);
  const paths = eventMarkPaths(config);
  const mark = readMark<EventsMark>(paths.store);
  const isThere = existsSync(join(folders.store, "events.duckdb"));
  const loadedTo = opened === undefined ? (isThere ? mark?.loadedTo : undefined) : opened.loadedTo;
  const missing = await findMissing(folders.spool, paths.spool, loadedTo);
  const lost = missing.filter(({ isRead }) => !isRead).map(describeMissing);
  const storeLoss = await findStoreLoss(config, loadedTo, mark);
  return {
    lost: storeLoss === undefined ? lost : [storeLoss, ...lost],
    changed: missing.filter(({ isRead }) => isRead).map(describeMissing),
  };
}

/** Whether the intake is lost: the store has loaded records, but the intake has none of their users and uuids. */
export function isIntakeLost(config: Pick<Config, "data">): boolean {
  const mark = readMark<EventsMark>(eventMarkPaths(config).store);
  if (mark?.loadedTo === undefined) return false;
  const head = readHead(join(config.data, "events", "intake.db"));
  return head !== sqliteHead;
}

const sqliteHead = "SQLite format 3\0";

function readHead(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const bytes = Buffer.alloc(sqliteHead.length);
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Describes losses and what can be done about them. */
export function describeLosses({ lost }: EventLosses): string {
  const advice = `restore the folder "events", or ${acceptLoss("events")}`;
  return `events that were acknowledged are missing: ${lost.join("; ")}: ${advice}`;
}

async function findStoreLoss(
  config: Pick<Config, "data">,
  loadedTo: SpoolPlace | undefined,
  mark: EventsMark | undefined,
): Promise<string | undefined> {
  const { store, spool } = eventFolders(config);
  // An earlier version wrote no mark. Its files are numbered from 1, and deleted only when they are loaded.
  const firstKept = mark?.firstKept ?? (await firstSpoolFile(spool));
  if (firstKept > (mark?.accepted ?? 1) && (loadedTo === undefined || loadedTo.number < firstKept - 1)) {
    const has =
      loadedTo === undefined
        ? "no events"
        : `the events of the spool up to file ${loadedTo.number} offset ${loadedTo.offset}`;
    return `the store "${store}" has ${has}, while those of the files up to ${firstKept - 1} had been loaded and the files deleted`;
  }
  const isEmpty = mark === undefined && loadedTo === undefined && (await spoolFiles(spool)).length === 0;
  if (!isEmpty || !existsSync(join(config.data, "events", "intake.db"))) return undefined;
  return `the store "${store}" has no events, and the spool none, while "intake.db" knows of users`;
}

async function spoolFiles(folder: string): Promise<readonly number[]> {
  return existsSync(folder) ? await listSegments(folder) : [];
}

/** Returns the number of the first file of a spool; 1 if the spool has no file. */
export async function firstSpoolFile(folder: string): Promise<number> {
  return (await spoolFiles(folder))[0] ?? 1;
}

/** Describes missing records. */
export function describeMissing({ file, from, to, lines, isFileMissing, isRead }: MissingRecords): string {
  const loaded = isRead ? ", all of which is loaded" : "";
  const count = lines === undefined ? "" : ` with ${exactCountOf(lines, "line")}`;
  if (isFileMissing) return `spool file "${file}"${count} is missing, bytes ${from} to ${to}${loaded}`;
  return `spool file "${file}" ends at byte ${from}, and was written to byte ${to}${loaded}`;
}
