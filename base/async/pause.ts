/** Work that can be held back. */
export interface Pause {
  /** Runs work; while it is held back, the work waits. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Holds later work back, and resolves when the running work has ended. The returned function ends it. */
  hold(): Promise<() => void>;
}

/** Creates a pause. Calls of `hold` follow one another. */
export function createPause(): Pause {
  let running = 0;
  let held: Promise<void> | undefined;
  let idle: PromiseWithResolvers<void> | undefined;
  return {
    async run(work) {
      while (held !== undefined) await held;
      running++;
      try {
        return await work();
      } finally {
        running--;
        if (running === 0) idle?.resolve();
      }
    },
    async hold() {
      while (held !== undefined) await held;
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      if (running > 0) {
        idle = Promise.withResolvers();
        await idle.promise;
        idle = undefined;
      }
      return () => {
        held = undefined;
        resolve();
      };
    },
  };
}
