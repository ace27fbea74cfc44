/** Something that is opened when it is first needed. */
export interface LazilyOpen<T> extends AsyncDisposable {
  /** After a failure the next call tries again. Rejects when it was closed. */
  get(): Promise<T>;
  /** Undefined until it is open. */
  peek(): T | undefined;
  /** Whether the last attempt to open it failed. */
  hasFailed(): boolean;
}

export function createLazilyOpen<T extends AsyncDisposable>(open: () => Promise<T>): LazilyOpen<T> {
  let opening: Promise<T> | undefined;
  let value: T | undefined;
  let hasFailed = false;
  let isClosed = false;

  async function start(): Promise<T> {
    try {
      value = await open();
      hasFailed = false;
      return value;
    } catch (error) {
      hasFailed = true;
      opening = undefined;
      throw error;
    }
  }
  return {
    peek: () => value,
    hasFailed: () => hasFailed,
    get() {
      if (isClosed) return Promise.reject(new Error("it is closed"));
      opening ??= start();
      return opening;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      value = undefined;
      await opened?.[Symbol.asyncDispose]();
    },
  };
}
