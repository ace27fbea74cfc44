import { statfs } from "node:fs/promises";
import { createSerial } from "../../../base/async/serial.ts";
import { tightenLater } from "../../../base/files/private.ts";
import { type Database, logFile, sizeOf } from "./database.ts";
import type { StoreTables } from "./layout.ts";
import type { Session } from "./session.ts";

/** The tables after a transaction, and its result for the caller. */
export interface Written<T> {
  /** Undefined: nothing has changed, so there is nothing to commit. */
  readonly tables?: StoreTables;
  readonly result: T;
}

/**
 * Runs transactions in sequence: adding a column to a table fails other transactions which are about to
 * write to it.
 */
export interface Writer {
  write<T>(
    work: (session: Session, tables: StoreTables) => Promise<Written<T>>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Moves the log into the file, unless a snapshot prevents it. */
  checkpoint(): Promise<void>;
  /** Moves the log into the file, and lets transactions wait until the returned function is called. */
  hold(): Promise<() => void>;
}

/** The space that a checkpoint needs besides the log. */
const spareBytes = 8 * 1_048_576;

export function createWriter(database: Database): Writer {
  const serial = createSerial();
  const logSize = () => sizeOf(logFile(database.folder));

  async function checkpoint(): Promise<void> {
    // A checkpoint which fails on a full disk ends the engine, and with it all queries.
    const [log, disk] = await Promise.all([logSize(), statfs(database.folder)]);
    if (disk.bavail * disk.bsize < 2 * log + spareBytes) return;
    await using session = await database.session();
    // Snapshots which still show dropped tables prevent a checkpoint; a later one succeeds.
    const isDone = await session.checkpoint().then(
      () => true,
      () => false,
    );
    if (isDone) database.settledTo = database.tables.loadedTo;
  }

  async function transact<T>(
    session: Session,
    work: (session: Session, tables: StoreTables) => Promise<Written<T>>,
  ): Promise<T> {
    await session.run("BEGIN");
    try {
      const { tables, result } = await work(session, database.tables);
      if (tables === undefined) {
        await session.rollback();
        return result;
      }
      await database.gate(async () => {
        await session.commit();
        database.tables = tables;
      });
      return result;
    } catch (error) {
      // A failed commit has already ended the transaction.
      await session.rollback().catch(() => undefined);
      throw error;
    }
  }

  return {
    write: (work, signal) =>
      serial(async () => {
        signal?.throwIfAborted();
        const result = await (async () => {
          await using session = await database.session(signal);
          return await transact(session, work);
        })();
        // The engine creates a new log after each checkpoint, with the modes of the process.
        await tightenLater(logFile(database.folder));
        // The write is committed whatever happens to the log here; a later checkpoint succeeds.
        const isLong = (await logSize().catch(() => 0)) > database.maxLogBytes;
        if (isLong) await checkpoint().catch(() => undefined);
        return result;
      }),
    checkpoint: () => serial(checkpoint),
    async hold() {
      const held = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      void serial(async () => {
        // The log is copied too, so the file may lack what it holds.
        await checkpoint().catch(() => undefined);
        held.resolve();
        await released.promise;
      });
      await held.promise;
      return released.resolve;
    },
  };
}
