/** Shares one piece of work among the callers that need its outcome at the same time. */
export interface SharedRuns<T> {
  /**
   * Returns the outcome of the running work of this key; starts the work if there is none. The work is cancelled when
   * its last caller has left.
   * @param signal the signal of this caller alone
   */
  join(key: string, start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Joined<T>;
}

export interface Joined<T> {
  readonly result: Promise<T>;
  /** Whether the work was running already. */
  readonly isShared: boolean;
}

interface Run<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  callers: number;
}

export function createSharedRuns<T>(): SharedRuns<T> {
  const runs = new Map<string, Run<T>>();

  const begin = (key: string, start: (signal: AbortSignal) => Promise<T>): Run<T> => {
    const controller = new AbortController();
    const run: Run<T> = { result: start(controller.signal), controller, callers: 0 };
    const forget = (): void => {
      if (runs.get(key) === run) runs.delete(key);
    };
    run.result.then(forget, forget);
    runs.set(key, run);
    return run;
  };

  const wait = (key: string, run: Run<T>, signal: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      run.callers++;
      const leave = (): void => {
        run.callers--;
        reject(signal.reason);
        if (run.callers > 0) return;
        // A later caller must not get the outcome of cancelled work.
        if (runs.get(key) === run) runs.delete(key);
        run.controller.abort(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      run.result.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
    });

  return {
    join(key, start, signal) {
      if (signal.aborted) return { result: Promise.reject(signal.reason), isShared: false };
      const known = runs.get(key);
      const run = known ?? begin(key, start);
      return { result: wait(key, run, signal), isShared: known !== undefined };
    },
  };
}
