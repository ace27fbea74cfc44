/** One connection for all calls: opened when one needs it, and anew when it was lost. */
export interface Reconnecting<T> extends AsyncDisposable {
  /** The connection; rejects when it can't be opened. */
  get(): Promise<T>;
}

export interface ReconnectingOptions<T> {
  readonly open: () => Promise<T>;
  readonly isUsable: (connection: T) => boolean;
  readonly close: (connection: T) => unknown;
}

export function createReconnecting<T>({ open, isUsable, close }: ReconnectingOptions<T>): Reconnecting<T> {
  let current: Promise<T> | undefined;
  return {
    async get() {
      current ??= open();
      const opening = current;
      try {
        const connection = await opening;
        if (isUsable(connection)) return connection;
      } catch (error) {
        if (current === opening) current = undefined;
        throw error;
      }
      // All who find it lost wait for the same new one.
      if (current === opening) current = open();
      return await current!;
    },
    async [Symbol.asyncDispose]() {
      const last = current;
      current = undefined;
      const connection = await last?.catch(() => undefined);
      if (connection !== undefined) await close(connection);
    },
  };
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
