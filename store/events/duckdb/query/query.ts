import type { DuckDBDataChunk, DuckDBMaterializedResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { inStatementSpan, startStatementSpan } from "../../../../base/trace/statement-span.ts";
import { failureOf, type Trace } from "../../../../base/trace/trace.ts";
import type { EventStore, QueryCaller, QueryCounts } from "../../events.ts";
import { createQuerySlots, type QueryLimits } from "../../query-slots.ts";
import type { Database } from "../database.ts";
import type { FewTexts } from "../few-texts.ts";
import type { StoreTables } from "../layout.ts";
import type { Session, Types, Values } from "../session.ts";

/**
 * The part of the store which runs plans.
 *
 * A query takes a slot and a snapshot of the database, which this file provides. `scan.ts` runs the plans
 * of scans and summaries, `users.ts` those of users, and `volumes.ts` counts events and values:
 * `relations.ts` describes a project's tables and `dialect.ts` the engine's SQL to the compiler in
 * `store/events/sql`; `rows.ts` and `packed-texts.ts` read the results. The other files are reads without
 * a plan.
 */
export type Scans = Pick<EventStore, "scan" | "scanAll" | "users" | "summarize">;

/** Limits the number of concurrent queries, and divides them fairly among callers. */
export interface Queries {
  /**
   * Waits for a free slot, then takes a snapshot of the database.
   * @throws TooManyQueriesError, EventsUnavailableError, the signal's reason
   */
  open(caller: QueryCaller, signal: AbortSignal): Promise<Query>;
  /**
   * Waits until another query may keep its result for a possibly slow reader; resolves to the function
   * which ends that. To be called before `open`.
   * @throws TooManyQueriesError, the signal's reason
   */
  keep(caller: QueryCaller, signal: AbortSignal): Promise<() => void>;
}

/**
 * A connection of its own inside a read transaction. It must be disposed of, which drops its temporary
 * tables and frees its slot. Statements run in sequence; when the signal is aborted the running one is
 * interrupted, and all reject with the signal's reason.
 */
export interface Query extends AsyncDisposable {
  /** The tables in the snapshot. */
  readonly tables: StoreTables;
  /** What is known of the texts of properties, in any snapshot. */
  readonly fewTexts: FewTexts;
  /**
   * Runs statements and returns the last one's result, all of it in memory. Values are bound by
   * position, with types where they matter (without one, a small BigInt binds as HUGEINT).
   */
  run(
    sql: string,
    values?: readonly DuckDBValue[],
    types?: readonly DuckDBType[],
  ): Promise<DuckDBMaterializedResult>;
  /** Returns up to 2,048 rows at a time, produced as they are read. */
  stream(
    sql: string,
    values?: readonly DuckDBValue[],
    types?: readonly DuckDBType[],
  ): AsyncIterable<DuckDBDataChunk>;
  /** Ends the snapshot and frees the slot. Temporary tables can still be read. */
  settle(): Promise<void>;
}

export interface SharedQueries extends Queries {
  counts(): QueryCounts;
}

export function createQueries(database: Database, limits: QueryLimits): SharedQueries {
  const slots = createQuerySlots(limits);
  return {
    counts: slots.counts,
    keep: slots.keep,
    async open(caller, signal) {
      const release = await slots.run(caller, signal);
      try {
        return await openSnapshot(database, signal, release, caller.trace);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/**
 * Opens a snapshot which takes no slot, for the upkeep of the store.
 * @param trace has a span for each statement
 */
export async function openSnapshot(
  database: Database,
  signal: AbortSignal,
  onEnd: () => void = () => undefined,
  trace?: Trace,
): Promise<Snapshot> {
  const session = await database.session(signal);
  try {
    const tables = await database.gate(async () => {
      await session.run("BEGIN");
      // The engine takes its snapshot when the first statement reads the file.
      await session.run("SELECT format FROM store_info");
      return database.tables;
    });
    return new Snapshot({ session, tables, fewTexts: database.fewTexts, onEnd, trace });
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

export class Snapshot implements Query {
  readonly tables: StoreTables;
  readonly fewTexts: FewTexts;
  readonly #session: Session;
  readonly #onEnd: () => void;
  readonly #trace: Trace | undefined;

  constructor(opened: {
    readonly session: Session;
    readonly tables: StoreTables;
    readonly fewTexts: FewTexts;
    readonly onEnd: () => void;
    readonly trace: Trace | undefined;
  }) {
    this.#session = opened.session;
    this.tables = opened.tables;
    this.fewTexts = opened.fewTexts;
    this.#onEnd = opened.onEnd;
    this.#trace = opened.trace;
  }

  run(sql: string, values?: Values, types?: Types) {
    const statement = { system: "duckdb", sql };
    return inStatementSpan(this.#trace, statement, () => this.#session.run(sql, values, types));
  }

  rows<R extends readonly unknown[]>(sql: string, values?: Values): Promise<R[]> {
    return this.#session.rows<R>(sql, values);
  }

  /** The span of a stream ends when its reader has ended. */
  async *stream(sql: string, values?: Values, types?: Types): AsyncGenerator<DuckDBDataChunk, void> {
    const span = startStatementSpan(this.#trace, { system: "duckdb", sql });
    try {
      yield* this.#session.stream(sql, values, types);
    } catch (error) {
      span?.end(failureOf(error));
      throw error;
    } finally {
      span?.end();
    }
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
