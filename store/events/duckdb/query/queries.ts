import { createFairSlots, type FairSlots, type Sharer } from "../../../../base/async/fair-slots.ts";
import { type Asker, type QueryCounts, TooManyQueriesError } from "../../events.ts";
import type { Queries, Query } from "../connection.ts";
import type { Database } from "../database.ts";
import type { StoreTables } from "../layout.ts";
import type { Session, Types, Values } from "../session.ts";

/** Results that one asker keeps for its readers. They are on the disk when memory is short. */
const maxKept = 8;
const maxKeptWaiting = 100;

/** Limits on the queries of a store. */
export interface QueryLimits {
  /** Queries that run at a time; as many again run for askers that have none. */
  readonly maxQueries: number;
  /** Queries of one asker that may wait; four times as many of all together. */
  readonly maxWaiting: number;
}

export interface SharedQueries extends Queries {
  counts(): QueryCounts;
}

export function createQueries(database: Database, { maxQueries, maxWaiting }: QueryLimits): SharedQueries {
  const running = createSlots(maxQueries, maxWaiting, "run");
  const kept = createSlots(maxKept, maxKeptWaiting, "are read");
  return {
    counts: running.counts,
    keep: (asker, signal) => kept.take(sharerOf(asker), signal),
    async open(asker, signal) {
      const giveBack = await running.take(sharerOf(asker), signal);
      try {
        return await openSnapshot(database, signal, giveBack);
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
}

function createSlots(maxRunning: number, maxWaiting: number, verb: string): FairSlots {
  return createFairSlots({
    maxRunning,
    reserved: maxRunning,
    maxWaiting,
    refuse: ({ running, waiting }) =>
      new TooManyQueriesError(
        `${running} queries ${verb} and ${waiting} wait, at most ${maxRunning} and ${maxWaiting} may`,
      ),
  });
}

function sharerOf({ projectId, asker = "" }: Asker): Sharer {
  return { group: projectId, member: asker };
}

/** A query that takes no slot: for the upkeep of the store. */
export async function openSnapshot(
  database: Database,
  signal: AbortSignal,
  onEnd: () => void = () => undefined,
): Promise<Snapshot> {
  const session = await database.session(signal);
  try {
    const tables = await database.gate(async () => {
      await session.run("BEGIN");
      // The engine takes its snapshot when the first statement touches the file.
      await session.run("SELECT format FROM store_info");
      return database.tables;
    });
    return new Snapshot(session, tables, onEnd);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

export class Snapshot implements Query {
  readonly tables: StoreTables;
  readonly #session: Session;
  readonly #onEnd: () => void;

  constructor(session: Session, tables: StoreTables, onEnd: () => void) {
    this.#session = session;
    this.tables = tables;
    this.#onEnd = onEnd;
  }

  run(sql: string, values?: Values, types?: Types) {
    return this.#session.run(sql, values, types);
  }

  rows<R extends readonly unknown[]>(sql: string, values?: Values): Promise<R[]> {
    return this.#session.rows<R>(sql, values);
  }

  stream(sql: string, values?: Values, types?: Types) {
    return this.#session.stream(sql, values, types);
  }

  async settle(): Promise<void> {
    await this.#session.run("COMMIT");
    this.#onEnd();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
    this.#onEnd();
  }
}
