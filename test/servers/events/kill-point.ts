import files, { readlinkSync } from "node:fs";
import fileSystem from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { Session } from "../../../store/events/duckdb/session.ts";

// Loaded before the service, in each of its threads: kills it at a named point of the way of a record.
const { searchParams } = new URL(import.meta.url);
const point = searchParams.get("point");
/** How often it passes the point before. */
let left = Number(searchParams.get("passes"));

/** Reports whether to die now. */
function isTime(): boolean {
  return left-- === 0;
}

function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

const isOf = (folder: string, path: string): boolean => path.includes(`/events/${folder}/`);
const isSpool = (file: number): boolean => isOf("spool", readlinkSync(`/proc/self/fd/${file}`));

const { fdatasyncSync } = files;
const writeSync = files.writeSync as (
  file: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
) => number;
const { rm } = fileSystem;
const { exec } = DatabaseSync.prototype;
const { run, commit } = Session.prototype;

/** Removing a file of a folder, before and after. */
function removing(folder: string, isBefore: boolean): () => void {
  return () => {
    fileSystem.rm = async (path, options) => {
      const isMet = isOf(folder, String(path)) && isTime();
      if (isMet && isBefore) await die();
      await rm(path, options);
      if (isMet) await die();
    };
    syncBuiltinESMExports();
  };
}

/** The end of a batch in the ledger of ids, which the other thread writes. */
function claiming(isBefore: boolean): () => void {
  return () => {
    DatabaseSync.prototype.exec = function (sql) {
      const isMet = !isMainThread && sql === "COMMIT" && isTime();
      if (isMet && isBefore) process.kill(process.pid, "SIGKILL");
      exec.call(this, sql);
      if (isMet) process.kill(process.pid, "SIGKILL");
    };
  };
}

/** A statement of a load, before it begins or after it. */
function loading(start: RegExp, isBefore: boolean): () => void {
  return () => {
    Session.prototype.run = async function (this: Session, sql, ...values) {
      const isMet = start.test(sql) && isTime();
      if (isMet && isBefore) await die();
      const result = await run.call(this, sql, ...values);
      return isMet ? await die() : result;
    };
  };
}

function committing(isBefore: boolean): () => void {
  return () => {
    Session.prototype.commit = async function (this: Session) {
      const isMet = isTime();
      if (isMet && isBefore) await die();
      const result = await commit.call(this);
      return isMet ? await die() : result;
    };
  };
}

/** The spool's thread syncs a file, before and after. */
function syncing(isBefore: boolean): () => void {
  return () => {
    files.fdatasyncSync = (file) => {
      const isMet = isSpool(file) && isTime();
      if (isMet && isBefore) process.kill(process.pid, "SIGKILL");
      fdatasyncSync(file);
      if (isMet) process.kill(process.pid, "SIGKILL");
    };
    syncBuiltinESMExports();
  };
}

const points: Readonly<Record<string, () => void>> = {
  "a line is written by half"() {
    files.writeSync = ((file: number, bytes: Uint8Array, offset: number, length: number) => {
      const isMet = isSpool(file) && isTime();
      // Half of the last line: half of a batch of two lines would end with a whole line.
      const written = writeSync(file, bytes, offset, isMet ? length - 1_000 : length);
      if (isMet) process.kill(process.pid, "SIGKILL");
      return written;
    }) as typeof files.writeSync;
    syncBuiltinESMExports();
  },
  "lines are written, not synced": syncing(true),
  "lines are synced, not answered": syncing(false),
  "a batch is prepared, its claims are not kept": claiming(true),
  "a batch is prepared, the store does not know it": claiming(false),
  "events are written, users are not": loading(/^INSERT INTO "e\d/, false),
  "rows are written, their place is not": loading(/^(?:INSERT INTO|UPDATE) position/, true),
  "a load is about to commit": committing(true),
  "a load has committed": committing(false),
  "rows of a loaded batch are about to be removed": removing("staging", true),
  "a file of the spool is about to be deleted": removing("spool", true),
  "a file of the spool is deleted": removing("spool", false),
};

points[point ?? ""]!();
