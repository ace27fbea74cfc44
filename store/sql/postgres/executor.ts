import type { Pool, PoolClient } from "pg";
import { untilAborted } from "../../../base/async/abort.ts";
import {
  type ArgumentsOf,
  type Executor,
  type NameIn,
  type Operations,
  type OutcomeOf,
  start,
} from "../operations.ts";
import type { Operation, Session } from "../query.ts";
import { createPool, type PostgresConnection } from "./connect.ts";
import { isRetryable, toStoreError } from "./errors.ts";
import { readClock } from "./lease-clock.ts";
import { checkServer } from "./migrate.ts";
import { postgresDialect, Runner } from "./runner.ts";
import { checkSchemaName, type PostgresStore } from "./store.ts";

export interface PoolOptions {
  readonly schema: string;
  /** The maximum number of calls which wait for a connection; more are refused at once. */
  readonly maxWaiting: number;
}

/** The number of rows in which the sums that each commit updates are kept. */
const shards = 16;
const maxTries = 5;

/**
 * Connects to a server whose schema `migrate` has created or updated.
 * @throws OpenError or UnavailableError of the store
 */
export async function openPool(
  store: PostgresStore,
  connection: PostgresConnection,
  schema: string,
): Promise<Pool> {
  checkSchemaName(schema);
  const pool = createPool(connection);
  try {
    await checkServer(store, pool, schema);
    return pool;
  } catch (error) {
    await pool.end();
    throw toStoreError(store.faults, error);
  }
}

/** Runs each operation in a transaction on a connection of a pool. */
export class PostgresExecutor<O extends Operations> implements Executor<O> {
  protected readonly runner: Runner;
  readonly #store: PostgresStore & { readonly operations: O };
  readonly #pool: Pool;
  readonly #maxWaiting: number;
  readonly #shards = new WeakMap<PoolClient, number>();
  #lastShard = 0;
  #isClosed = false;

  constructor(store: PostgresStore & { readonly operations: O }, pool: Pool, options: PoolOptions) {
    this.runner = new Runner(store, options.schema);
    this.#store = store;
    this.#pool = pool;
    this.#maxWaiting = options.maxWaiting;
  }

  async call<N extends NameIn<O>>(
    name: N,
    nowMs: number,
    args: ArgumentsOf<O, N>,
    signal: AbortSignal | undefined,
  ): Promise<OutcomeOf<O, N>> {
    const { operations, single, unsynced } = this.#store;
    const begin = (session: Session) => start(operations, name, session, args);
    if (single?.has(name) === true) {
      return await this.withClient((client, shard) => {
        return this.runner.runSingle(client, begin({ nowMs, shard, dialect: postgresDialect }));
      }, signal);
    }
    return await this.transact(begin, nowMs, signal, unsynced?.has(name));
  }

  /** Reads the time of the database, in milliseconds since 1970. */
  async clock(): Promise<number> {
    return await this.transact((_session) => readClock(), 0, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  protected async transact<T>(
    begin: (session: Session) => Operation<T>,
    nowMs: number,
    signal: AbortSignal | undefined,
    isUnsynced?: boolean,
  ): Promise<T> {
    return await this.withClient((client, shard) => {
      return this.runner.transact(client, begin({ nowMs, shard, dialect: postgresDialect }), isUnsynced);
    }, signal);
  }

  /** Runs work on a connection; repeats it after a conflict with concurrent work. */
  protected async withClient<T>(
    work: (client: PoolClient, shard: number) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const { noun, UnavailableError } = this.#store.faults;
    if (this.#isClosed) throw new UnavailableError(`${noun} is closed`);
    if (this.#pool.waitingCount >= this.#maxWaiting) {
      const description = `${this.#pool.waitingCount} calls already wait for a connection`;
      throw new UnavailableError(`${noun} database: ${description}`);
    }
    const outcome = this.#tryWithClient(work);
    // The work goes on until its connection is free again.
    return await (signal === undefined ? outcome : untilAborted(outcome, signal));
  }

  async #tryWithClient<T>(work: (client: PoolClient, shard: number) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (!isRetryable(error) || tries === maxTries) throw toStoreError(this.#store.faults, error);
      }
    }
  }

  async #once<T>(work: (client: PoolClient, shard: number) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failure: unknown;
    try {
      return await work(client, this.#shardOf(client));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // A connection is reused only when the error is known to be harmless to it.
      const isRefusal = this.#store.faults.requestErrors.some((kind) => failure instanceof kind);
      const isSound = failure === undefined || isRetryable(failure) || isRefusal;
      client.release(!isSound);
    }
  }

  #shardOf(client: PoolClient): number {
    const known = this.#shards.get(client);
    if (known !== undefined) return known;
    const shard = this.#lastShard++ % shards;
    this.#shards.set(client, shard);
    return shard;
  }
}
