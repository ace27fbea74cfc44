import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBMaterializedResult,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
} from "@duckdb/node-api";
import { EventsUnavailableError } from "../events.ts";
import { isFatal, storeError } from "./errors.ts";
import { runInEngine } from "./run-in-engine.ts";

/** The values bound to a statement by position. */
export type Values = readonly DuckDBValue[];
export type Types = readonly DuckDBType[];

/** An interrupt before the start of a statement has no effect, so it is repeated until the statement ends. */
const interruptEveryMs = 5;
/** Queries cannot begin during a commit, so it waits only this long for a thread of the engine. */
const maxCommitWaitMs = 100;
/** A checkpoint of a log of 64 MiB takes about a second. */
const maxCheckpointWaitMs = 5_000;

/**
 * One connection and its statements, one at a time. When the signal is aborted the running statement is
 * interrupted and all reject with the signal's reason.
 */
export class Session implements AsyncDisposable {
  readonly #connection: DuckDBConnection;
  readonly #signal: AbortSignal | undefined;
  readonly #onFatal: (error: Error) => void;
  readonly #onClose: (session: Session) => void;
  readonly #isEngineFree: () => boolean;
  readonly #abandoned = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(
    connection: DuckDBConnection,
    options: {
      readonly signal: AbortSignal | undefined;
      readonly onFatal: (error: Error) => void;
      readonly onClose: (session: Session) => void;
      /** Returns whether a thread of the engine has nothing else to do, see `runInEngine`. Default: never. */
      readonly isEngineFree?: () => boolean;
    },
  ) {
    this.#connection = connection;
    this.#signal = options.signal;
    this.#onFatal = options.onFatal;
    this.#onClose = options.onClose;
    this.#isEngineFree = options.isEngineFree ?? (() => false);
  }

  /** Runs statements and returns the last one's result, all of it in memory. */
  run(sql: string, values?: Values, types?: Types): Promise<DuckDBMaterializedResult> {
    return this.#guard(() => this.#connection.run(sql, copy(values), copy(types)));
  }

  /** Returns rows as JavaScript values: BIGINT as bigint, lists as arrays. */
  async rows<R extends readonly unknown[]>(sql: string, values?: Values): Promise<R[]> {
    const result = await this.run(sql, values);
    return (await result.getRowsJS()) as unknown as R[];
  }

  async *stream(sql: string, values?: Values, types?: Types): AsyncGenerator<DuckDBDataChunk, void> {
    const result = await this.#guard(() => this.#connection.stream(sql, copy(values), copy(types)));
    for (;;) {
      const chunk = await this.#guard(() => result.fetchChunk());
      if (chunk === null || chunk.rowCount === 0) return;
      yield chunk;
    }
  }

  /** Moves the log into the file. */
  checkpoint(): Promise<DuckDBResult> {
    const wait = { isEngineFree: this.#isEngineFree, maxWaitMs: maxCheckpointWaitMs };
    return this.#guard(() => runInEngine(this.#connection, "CHECKPOINT", wait));
  }

  /** Commits, whatever the signal says. */
  commit(): Promise<DuckDBResult> {
    const wait = { isEngineFree: this.#isEngineFree, maxWaitMs: maxCommitWaitMs };
    return this.#mapErrors(runInEngine(this.#connection, "COMMIT", wait));
  }

  /** Discards the transaction, whatever the signal says. */
  rollback(): Promise<DuckDBResult> {
    return this.#mapErrors(this.#connection.run("ROLLBACK"));
  }

  /** Interrupts the running statement and closes; later statements reject. */
  async abandon(): Promise<void> {
    this.#abandoned.abort(new EventsUnavailableError("the event store was closed"));
    await this.#running.catch(() => undefined);
    this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.catch(() => undefined);
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.closeSync();
    this.#onClose(this);
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    const signals = [this.#signal, this.#abandoned.signal].filter((one) => one !== undefined);
    for (const signal of signals) signal.throwIfAborted();
    let timer: NodeJS.Timeout | undefined;
    const interrupt = () => {
      this.#connection.interrupt();
      timer ??= setInterval(() => this.#connection.interrupt(), interruptEveryMs);
    };
    for (const signal of signals) signal.addEventListener("abort", interrupt);
    try {
      return await this.#mapErrors(work());
    } finally {
      clearInterval(timer);
      for (const signal of signals) signal.removeEventListener("abort", interrupt);
      // The signal's reason replaces the error of an interrupted statement.
      for (const signal of signals) signal.throwIfAborted();
    }
  }

  async #mapErrors<T>(statement: Promise<T>): Promise<T> {
    this.#running = statement;
    try {
      return await statement;
    } catch (error) {
      if (isFatal(error)) this.#onFatal(error as Error);
      throw storeError(error);
    }
  }
}

const copy = <T>(list: readonly T[] | undefined): T[] | undefined =>
  list === undefined ? undefined : [...list];

/** Returns an internal text, such as a path, as a literal; texts of callers are bound. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
