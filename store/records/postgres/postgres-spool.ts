import { fillChecksums } from "../../../base/files/line-checksum.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { Listener } from "../../sql/postgres/listener.ts";
import { createAppendQueue, type OwnLines } from "../append-queue.ts";
import type { RecordSpool } from "../record-spool.ts";
import { type RecordPlace, type RecordReader, RecordsUnavailableError } from "../records.ts";
import { createGrowth } from "./growth.ts";
import type { SpoolTables } from "./spool-tables.ts";
import { createTableReader } from "./table-reader.ts";

/** The records of one project, which any number of processes append and read. */
export interface PostgresSpool extends RecordSpool {
  readonly reader: RecordReader;
}

export interface PostgresSpoolOptions {
  /** The id of the project, which names its tables. */
  readonly project: number;
  /** The size from which on the next table is used. Default 64 MiB. */
  readonly maxTableBytes?: number;
  /**
   * The place at which reading continues. When the tables end before it, because the database was
   * restored, new records go to tables with later numbers, so that they do not count as read.
   */
  readonly after?: RecordPlace | undefined;
  /**
   * Whether lines get checksums, for a reader which compares them; records must then be JSON objects.
   * The same for all processes. Default false.
   */
  readonly checksums?: boolean;
  /**
   * Called before a record is accepted.
   * @throws RecordsUnavailableError to refuse it
   */
  readonly admit?: (bytes: number) => void;
}

export interface PostgresSpoolPorts {
  readonly tables: SpoolTables;
  readonly listener: Listener;
  /** The time between two looks for records of other processes, whose notifications may be lost. */
  readonly pollMs: number;
}

/**
 * Creates a spool whose groups of lines are rows. Within a row, a line has the checksum of its place in
 * the row, since the row's own place is known only when it is stored; the reader adds that place.
 */
export function createPostgresSpool(
  { project, checksums = false, admit }: PostgresSpoolOptions,
  { tables, listener, pollMs }: PostgresSpoolPorts,
): PostgresSpool {
  const growth = createGrowth({ listener, project, pollMs, look: () => reader.end(), notify: tables.notify });
  const reader = createTableReader({
    tables,
    seen: growth.seen,
    grown: growth.grown,
    isWriting: () => queue.isWriting(),
    checksums,
  });

  async function write(lines: OwnLines): Promise<ArrayBuffer> {
    if (checksums) fillChecksums(lines, { number: 0, offset: 0 });
    try {
      const { number, offset } = await tables.append(lines);
      growth.wrote({ number, offset: offset + lines.length });
      return lines.buffer;
    } catch (error) {
      if (error instanceof RecordsUnavailableError) throw error;
      throw new RecordsUnavailableError(`cannot write to the record spool: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }
  const queue = createAppendQueue({ write, checksums, waitsFor: "the database", admit });
  return {
    reader,
    append: queue.append,
    appendLines: queue.appendLines,
    end: reader.end,
    grown: growth.grown,
    isWriting: queue.isWriting,
    async [Symbol.asyncDispose]() {
      await queue.close();
      await growth[Symbol.asyncDispose]();
    },
  };
}
