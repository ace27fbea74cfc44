/** One connection for all calls: opened when one needs it, and anew when it was lost. */
export interface Reconnecting<T> extends AsyncDisposable {
  /** The connection; rejects when it can't be opened. */
  get(): Promise<T>;
  /**
   * Works with the connection until the signal is aborted. Then the connection
   * is given up: what says nothing to one call will say nothing to the next.
   */
  use<R>(work: (connection: T) => Promise<R>, signal: AbortSignal): Promise<R>;
}

export interface ReconnectingOptions<T> {
  readonly open: () => Promise<T>;
  readonly isUsable: (connection: T) => boolean;
  readonly close: (connection: T) => unknown;
}

export function createReconnecting<T>({ open, isUsable, close }: ReconnectingOptions<T>): Reconnecting<T> {
  let opening: Promise<T> | undefined;
  let opened: T | undefined;
  let isDisposed = false;

  return {
    get,
    async use(work, signal) {
      const connection = await untilAborted(get(), signal);
      try {
        return await untilAborted(work(connection), signal);
      } catch (error) {
        if (signal.aborted) await drop(connection);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      if (opened !== undefined) await drop(opened);
    },
  };

  /** All who find it lost or not open wait for the same new one. */
  function get(): Promise<T> {
    if (opened !== undefined && isUsable(opened)) return Promise.resolve(opened);
    opened = undefined;
    opening ??= begin().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function begin(): Promise<T> {
    const connection = await open();
    opened = connection;
    if (isDisposed) await drop(connection);
    return connection;
  }

  async function drop(connection: T): Promise<void> {
    if (opened === connection) opened = undefined;
    await close(connection);
  }
}

/** Rejects when the signal is aborted; for clients that take no signal. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
