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

/** What is bound to a statement by position. */
export type Values = readonly DuckDBValue[];
export type Types = readonly DuckDBType[];

/** An interrupt is forgotten when the statement starts after it, so it is said again until the statement ends. */
const interruptEveryMs = 5;

/**
 * One connection and its statements, one at a time. Once the signal is aborted
 * the running statement is interrupted and all reject with the signal's reason.
 */
export class Session implements AsyncDisposable {
  readonly #connection: DuckDBConnection;
  readonly #signal: AbortSignal | undefined;
  readonly #onFatal: (error: Error) => void;
  readonly #onClose: (session: Session) => void;
  readonly #abandoned = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(
    connection: DuckDBConnection,
    options: {
      readonly signal: AbortSignal | undefined;
      readonly onFatal: (error: Error) => void;
      readonly onClose: (session: Session) => void;
    },
  ) {
    this.#connection = connection;
    this.#signal = options.signal;
    this.#onFatal = options.onFatal;
    this.#onClose = options.onClose;
  }

  /** The last statement's result, all of it in memory. */
  run(sql: string, values?: Values, types?: Types): Promise<DuckDBMaterializedResult> {
    return this.#guard(() => this.#connection.run(sql, copy(values), copy(types)));
  }

  /** Rows as JavaScript has them: BIGINT as bigint, lists as arrays. */
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

  /** Like `run` of one statement that must come to its end, whatever the signal says. */
  finish(sql: string): Promise<DuckDBResult> {
    return this.#tell(this.#connection.run(sql));
  }

  /** Interrupts what runs and closes; later statements reject. */
  async abandon(): Promise<void> {
    this.#abandoned.abort(new EventsUnavailableError("the store of events was closed"));
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
      return await this.#tell(work());
    } finally {
      clearInterval(timer);
      for (const signal of signals) signal.removeEventListener("abort", interrupt);
      // An error of an interrupted statement gives way to the reason.
      for (const signal of signals) signal.throwIfAborted();
    }
  }

  async #tell<T>(statement: Promise<T>): Promise<T> {
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
