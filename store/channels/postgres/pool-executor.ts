import type { Pool, PoolClient } from "pg";
import { ChannelsUnavailableError, type SlotRequest, type Slots } from "../channels.ts";
import { type Arguments, type OperationName, type Outcome, start } from "../sql/operations.ts";
import type { Operation } from "../sql/query.ts";
import type { Executor } from "../sql/sql-channels.ts";
import { isWorthAnotherTry, toChannelsError } from "./errors.ts";
import { postgresDialect, Runner } from "./runner.ts";
import { reserveSlots } from "./slots.ts";

const MAX_TRIES = 5;
/** Calls that may wait for a connection; more are refused at once. */
const MAX_WAITING = 1_000;

/** Runs each operation in a transaction on a connection of a pool. */
export class PoolExecutor implements Executor {
  readonly #pool: Pool;
  readonly #runner: Runner;
  #isClosed = false;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#runner = new Runner(schema);
  }

  async call<N extends OperationName>(
    name: N,
    nowMs: number,
    args: Arguments<N>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<N>> {
    const session = { nowMs, dialect: postgresDialect };
    return await this.#transact(() => start(name, session, args), signal);
  }

  async reserveSlots(request: SlotRequest, signal: AbortSignal | undefined): Promise<Slots> {
    return await this.#transact(() => reserveSlots(request), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  async #transact<T>(begin: () => Operation<T>, signal: AbortSignal | undefined): Promise<T> {
    if (this.#isClosed) throw new ChannelsUnavailableError("the store of channels is closed");
    if (this.#pool.waitingCount >= MAX_WAITING) {
      throw new ChannelsUnavailableError(
        `channels database: ${this.#pool.waitingCount} calls wait for a connection, no more are taken`,
      );
    }
    return await raceAbort(this.#tryToTransact(begin), signal);
  }

  async #tryToTransact<T>(begin: () => Operation<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once((client) => this.#runner.transact(client, begin()));
      } catch (error) {
        if (!isWorthAnotherTry(error) || tries === MAX_TRIES) throw toChannelsError(error);
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
