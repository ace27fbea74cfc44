import type { Pool, PoolClient } from "pg";
import type { AcceptResult } from "../batch.ts";
import { encodeBatchId } from "../ids.ts";
import { InboxFullError, InboxUnavailableError } from "../inbox.ts";
import { type Arguments, type OperationName, type Outcome, start } from "../sql/operations.ts";
import type { Executor } from "../sql/sql-inbox.ts";
import type { StoredBatch } from "../stored-batch.ts";
import { isWorthAnotherTry, toInboxError } from "./errors.ts";
import { isQuick, QUICK_ACCEPT, QUICK_ACCEPT_UNCLAIMED, quickParams } from "./quick-accept.ts";
import { postgresDialect, Runner } from "./runner.ts";

export interface PoolExecutorOptions {
  readonly schema: string;
  /** Calls that may wait for a connection; more are refused at once. */
  readonly maxWaiting: number;
  /** Size of the schema from which on no batch is taken; null: no cap. */
  readonly maxBytes: number | null;
}

/** The books are kept in so many rows for each channel and target. */
const SHARDS = 16;
const MAX_TRIES = 5;
/** Asking for the size of the tables is cheap, but not for every batch. */
const MEASURE_MS = 5_000;

/** Runs each operation in a transaction on a connection of a pool. */
export class PoolExecutor implements Executor {
  readonly #pool: Pool;
  readonly #options: PoolExecutorOptions;
  readonly #runner: Runner;
  readonly #shards = new WeakMap<PoolClient, number>();
  #lastShard = 0;
  #usedBytes = 0;
  #measuredAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(pool: Pool, options: PoolExecutorOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#runner = new Runner(options.schema);
  }

  admit(bodyBytes: number): void {
    const { maxBytes, schema } = this.#options;
    if (maxBytes === null) return;
    this.#measureNowAndThen();
    if (this.#usedBytes + bodyBytes <= maxBytes) return;
    throw new InboxFullError(
      `inbox schema "${schema}" uses ${this.#usedBytes} bytes, at most ${maxBytes} are allowed`,
    );
  }

  async measure(signal: AbortSignal | undefined): Promise<{ usedBytes: number; freeBytes: null }> {
    const sql = `SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::bigint AS bytes
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relkind = 'r'`;
    const read = async (client: PoolClient): Promise<readonly { bytes: number }[]> =>
      await this.#runner.query(client, sql, [this.#options.schema]);
    const [row] = await this.#withClient(read, signal);
    this.#usedBytes = row?.bytes ?? 0;
    return { usedBytes: this.#usedBytes, freeBytes: null };
  }

  async call<N extends OperationName>(
    name: N,
    nowMs: number,
    args: Arguments<N>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<N>> {
    return await this.#withClient(async (client) => {
      const shard = this.#shardOf(client);
      const quick = name === "accept" ? await this.#acceptQuickly(client, args, nowMs, shard) : null;
      if (quick !== null) return quick as Outcome<N>;
      const session = { nowMs, shard, dialect: postgresDialect };
      return await this.#runner.transact(client, start(name, session, args));
    }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  /** Null: the batch needs the whole operation, or its key is taken. */
  async #acceptQuickly(
    client: PoolClient,
    args: readonly unknown[],
    nowMs: number,
    shard: number,
  ): Promise<AcceptResult | null> {
    const [batch] = args as readonly [StoredBatch];
    if (!isQuick(batch)) return null;
    const sql = batch.claim === null ? QUICK_ACCEPT_UNCLAIMED : QUICK_ACCEPT;
    const params = quickParams(batch, nowMs, shard);
    const [row] = await this.#runner.query<{ seq: number }>(client, sql, params);
    if (row === undefined) return null;
    return { kind: "stored", batchId: encodeBatchId({ seq: row.seq, acceptedAtMs: nowMs }) };
  }

  async #withClient<T>(
    work: (client: PoolClient) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (this.#isClosed) throw new InboxUnavailableError("inbox is closed");
    if (this.#pool.waitingCount >= this.#options.maxWaiting) {
      throw new InboxUnavailableError(
        `inbox database: ${this.#pool.waitingCount} calls wait for a connection, no more are taken`,
      );
    }
    return await raceAbort(this.#tryWithClient(work), signal);
  }

  async #tryWithClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (!isWorthAnotherTry(error) || tries === MAX_TRIES) throw toInboxError(error);
      }
    }
  }

  async #once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // A connection is kept only when what failed is known to be harmless to it.
      const isSound = failure === undefined || isWorthAnotherTry(failure) || failure instanceof RangeError;
      client.release(!isSound);
    }
  }

  #shardOf(client: PoolClient): number {
    const known = this.#shards.get(client);
    if (known !== undefined) return known;
    const shard = this.#lastShard++ % SHARDS;
    this.#shards.set(client, shard);
    return shard;
  }

  #measureNowAndThen(): void {
    const nowMs = performance.now();
    if (nowMs - this.#measuredAtMs < MEASURE_MS) return;
    this.#measuredAtMs = nowMs;
    // A server that is away is told about by the call that needs it.
    this.measure(undefined).catch(() => {});
  }
}

/** The work goes on behind an abort, until its connection is free again. */
async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => {});
  }
}
