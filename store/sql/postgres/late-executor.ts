import type { ArgumentsOf, Executor, NameIn, Operations, OutcomeOf } from "../operations.ts";
import type { PostgresConnection } from "./connect.ts";
import { openPool, type PoolOptions, PostgresExecutor } from "./executor.ts";
import type { PostgresStore } from "./store.ts";

/** Runs operations of a store whose database may be unavailable at first. */
export interface LateExecutor<O extends Operations> extends Executor<O> {
  /**
   * Resolves when the store can be used; calls do so by themselves.
   * @throws OpenError or UnavailableError of the store
   */
  open(): Promise<void>;
  /** Reads the time of the database, in milliseconds since 1970. */
  clock(): Promise<number>;
}

/** After a failure, calls within this time fail with the same error. */
const pauseMs = 500;

/** Creates an executor which connects and checks its tables with the first call, and again after a failure. */
export function createLateExecutor<O extends Operations>(
  store: PostgresStore & { readonly operations: O },
  connection: PostgresConnection,
  options: PoolOptions,
): LateExecutor<O> {
  let opening: Promise<PostgresExecutor<O>> | undefined;
  let failedMs = Number.NEGATIVE_INFINITY;
  let isFailed = false;
  let isClosed = false;
  async function openNow(): Promise<PostgresExecutor<O>> {
    try {
      isFailed = false;
      return new PostgresExecutor(store, await openPool(store, connection, options.schema), options);
    } catch (error) {
      isFailed = true;
      failedMs = performance.now();
      throw error;
    }
  }
  function get(): Promise<PostgresExecutor<O>> {
    const { noun, UnavailableError } = store.faults;
    if (isClosed) return Promise.reject(new UnavailableError(`${noun} is closed`));
    if (isFailed && performance.now() - failedMs >= pauseMs) opening = undefined;
    opening ??= openNow();
    return opening;
  }
  return {
    async open() {
      await get();
    },
    clock: async () => await (await get()).clock(),
    async call<N extends NameIn<O>>(
      name: N,
      nowMs: number,
      args: ArgumentsOf<O, N>,
      signal: AbortSignal | undefined,
    ): Promise<OutcomeOf<O, N>> {
      return await (await get()).call(name, nowMs, args, signal);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      await opened?.[Symbol.asyncDispose]();
    },
  };
}
