import type { Queries, Query } from "./connection.ts";
import type { Database } from "./database.ts";
import type { StoreTables } from "./layout.ts";
import type { Session, Types, Values } from "./session.ts";
import { createTurns, type Turns } from "./turns.ts";

/** What queries keep for their readers is on the disk when memory is short; more than so many would fill that. */
const maxKept = 8;
const maxKeptWaiting = 100;

/** Queries that wait for their turn. */
export function createQueries(database: Database, turns: Turns): Queries {
  const kept = createTurns(maxKept, maxKeptWaiting);
  return {
    keep: kept.take,
    async open(signal) {
      const giveBack = await turns.take(signal);
      try {
        return await openSnapshot(database, signal, giveBack);
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
}

/** A query that asks nobody: for the upkeep of the store. */
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
