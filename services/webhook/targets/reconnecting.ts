import { untilAborted } from "../../../base/async/abort.ts";
/** One connection for all calls. It is opened when a call needs it, and again when it was lost. */
export interface Reconnecting<T> extends AsyncDisposable {
  /** The connection; rejects when it can't be opened. */
  get(): Promise<T>;
  /**
   * Works with the connection until the signal is aborted. Then the connection
   * is closed: what does not respond to one call will not respond to the next.
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

  /** Calls that find it lost or not open wait for the same new one. */
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
