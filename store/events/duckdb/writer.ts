import { statfs } from "node:fs/promises";
import { tightenLater } from "../../../base/files/private.ts";
import { type Database, logFile, sizeOf } from "./database.ts";
import type { StoreTables } from "./layout.ts";
import { createSerial } from "./serial.ts";
import type { Session } from "./session.ts";

/** What a transaction made of the tables, and what its caller gets. */
export interface Written<T> {
  /** Undefined: nothing has changed, so there is nothing to commit. */
  readonly tables?: StoreTables;
  readonly result: T;
}

/**
 * One transaction after the other: adding a column to a table fails whoever
 * else is about to write to it.
 */
export interface Writer {
  write<T>(
    work: (session: Session, tables: StoreTables) => Promise<Written<T>>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Moves what is in the log to the file, unless somebody is in the way. */
  checkpoint(): Promise<void>;
}

/** What a checkpoint needs beside the log. */
const spareBytes = 8 * 1_048_576;

export function createWriter(database: Database): Writer {
  const serial = createSerial();
  const logSize = () => sizeOf(logFile(database.folder));

  async function checkpoint(): Promise<void> {
    // One that fails for want of room ends the engine, and with it all queries.
    const [log, disk] = await Promise.all([logSize(), statfs(database.folder)]);
    if (disk.bavail * disk.bsize < 2 * log + spareBytes) return;
    await using session = await database.session();
    // Snapshots that still show what has been dropped are in its way: there is another time.
    const isDone = await session.run("CHECKPOINT").then(
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
        await session.finish("ROLLBACK");
        return result;
      }
      await database.gate(async () => {
        await session.finish("COMMIT");
        database.tables = tables;
      });
      return result;
    } catch (error) {
      // A commit that failed has ended the transaction already.
      await session.finish("ROLLBACK").catch(() => undefined);
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
        // The engine makes a new log after each checkpoint, with the modes of the process.
        await tightenLater(logFile(database.folder));
        // What was written is committed, whatever becomes of the log now: there is another time.
        const isLong = (await logSize().catch(() => 0)) > database.maxLogBytes;
        if (isLong) await checkpoint().catch(() => undefined);
        return result;
      }),
    checkpoint: () => serial(checkpoint),
  };
}
