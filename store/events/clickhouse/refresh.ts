/** Work which is repeated in the background; its failures are ignored, since it is tried again. */
export interface BackgroundWork {
  /** The time between the end of one execution and the next. */
  readonly everyMs: number;
  readonly work: (signal: AbortSignal) => Promise<unknown>;
}

/** Repeats work until it is disposed of, which aborts the signals of what runs and waits for its end. */
export function openRefresh(all: readonly BackgroundWork[]): AsyncDisposable {
  const end = new AbortController();
  const running = all.map((one) => repeat(one, end.signal));
  return {
    async [Symbol.asyncDispose]() {
      end.abort(new Error("the store is closed"));
      await Promise.all(running);
    },
  };
}

async function repeat({ everyMs, work }: BackgroundWork, signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(everyMs, signal);
    if (signal.aborted) return;
    await work(signal).catch(() => undefined);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  timer.unref();
  const stop = () => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
}
