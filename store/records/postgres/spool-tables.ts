import type { Executor } from "../../sql/operations.ts";
import { isMissing } from "../../sql/postgres/errors.ts";
import type { RecordPlace } from "../records.ts";
import type { operations, RecordRange, RecordRow, RecordTable } from "./operations.ts";

/** The tables of one project. */
export interface SpoolTables {
  /**
   * Appends lines and returns the place of the first one.
   * @throws RecordsUnavailableError when they may not be stored
   */
  append(lines: Uint8Array): Promise<RecordPlace>;
  /** Returns the tables from a number on, ascending; the last one is in use. */
  from(number: number): Promise<readonly RecordTable[]>;
  /** Returns rows of a table; none when it was dropped. */
  read(range: RecordRange): Promise<readonly RecordRow[]>;
  /** Drops the tables which end at or before a place. */
  release(to: RecordPlace): Promise<void>;
  /** Tells the readers in other processes that there are more records. */
  notify(): Promise<void>;
}

export interface SpoolTablesOptions {
  readonly executor: Executor<typeof operations>;
  readonly project: number;
  readonly maxTableBytes: number;
  /** The place before which no record is appended. */
  readonly after: RecordPlace | undefined;
  readonly channel: string;
}

/** Processes which fill tables at the same time make each other look for the table in use. */
const maxTries = 20;

export function createSpoolTables(options: SpoolTablesOptions): SpoolTables {
  const { executor, project, maxTableBytes, after, channel } = options;
  /** The number of the table which was in use when this process last asked. */
  let current: Promise<number> | undefined;

  function open(): Promise<number> {
    if (current === undefined) {
      const opening = executor.call("open", 0, [project, after], undefined).then(({ number }) => number);
      current = opening;
      opening.catch(() => forget(opening));
    }
    return current;
  }
  function forget(opened: Promise<number>): void {
    if (current === opened) current = undefined;
  }
  /** Returns null when the table is not in use any more, or full. */
  async function appendTo(number: number, lines: Uint8Array): Promise<number | null> {
    return await executor
      .call("append", 0, [project, number, lines, maxTableBytes], undefined)
      .catch((error: unknown) => {
        // Another process has dropped the table after the next one was in use.
        if (isMissing(error)) return null;
        throw error;
      });
  }
  return {
    async append(lines) {
      for (let tries = 0; tries < maxTries; tries++) {
        const number = await open();
        const offset = await appendTo(number, lines);
        if (offset !== null) return { number, offset };
        const advanced = await executor.call("advance", 0, [project, number], undefined);
        current = Promise.resolve(advanced.number);
      }
      throw new Error(`${maxTries} tables were full or dropped`);
    },
    async from(number) {
      await open();
      return await executor.call("tables", 0, [project, number], undefined);
    },
    async read(range) {
      return await executor.call("read", 0, [project, range], undefined).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
    },
    async release(to) {
      for (let dropped = 1; dropped > 0; ) {
        dropped = await executor.call("release", 0, [project, to], undefined);
      }
    },
    notify: () => executor.call("notifyReaders", 0, [channel, project], undefined),
  };
}
