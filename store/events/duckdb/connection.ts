import type { DuckDBDataChunk, DuckDBMaterializedResult, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { Asker, EventStore } from "../events.ts";
import type { StoreTables } from "./layout.ts";

/** The part of the store that runs plans: `createScans(queries: Queries): Scans` in scan.ts. */
export type Scans = Pick<EventStore, "scan" | "scanAll" | "users" | "spread">;

/** Limits how many queries run at a time, and divides them fairly between those who ask. */
export interface Queries {
  /**
   * Waits for a free slot, then takes a snapshot of the database.
   * @throws TooManyQueriesError, EventsUnavailableError, the signal's reason
   */
  open(asker: Asker, signal: AbortSignal): Promise<Query>;
  /**
   * Waits until another query may keep what it found for a reader that may be
   * slow; resolves to the function that ends it. It is called before `open`.
   * @throws TooManyQueriesError, the signal's reason
   */
  keep(asker: Asker, signal: AbortSignal): Promise<() => void>;
}

/**
 * A connection of its own inside a read transaction. It must be disposed of:
 * that drops its temporary tables and frees its slot.
 * Statements run one after the other; once the signal is aborted the running
 * one is interrupted, and all reject with the signal's reason.
 */
export interface Query extends AsyncDisposable {
  /** Exactly what the snapshot holds. */
  readonly tables: StoreTables;
  /** The last statement's result, all of it in memory. Values are bound by position, with types where they matter (a small BigInt binds as HUGEINT without). */
  run(
    sql: string,
    values?: readonly DuckDBValue[],
    types?: readonly DuckDBType[],
  ): Promise<DuckDBMaterializedResult>;
  /** Up to 2,048 rows at a time, produced as they are taken. */
  stream(
    sql: string,
    values?: readonly DuckDBValue[],
    types?: readonly DuckDBType[],
  ): AsyncIterable<DuckDBDataChunk>;
  /** Ends the snapshot and frees the slot. What it keeps in temporary tables can still be read. */
  settle(): Promise<void>;
}
