import type { Clock } from "../../../base/async/clock.ts";

export interface WaitingWork {
  /** Resolves when there may be more records. */
  grown(): Promise<void>;
  waitingBytes(): Promise<number>;
  open(): Promise<AsyncDisposable>;
  /** Counts what was loaded. */
  loads(): number;
  /** Called when it could not be opened or closed, which is tried again. */
  failed(error: unknown): void;
  readonly clock: Pick<Clock, "wait">;
}

export const retryMs = 1_000;
/** The time without records after which what was opened is closed. */
const idleMs = 60_000;

/** Opens something while records wait, and closes it when none have waited for a while. */
export function repeatWhileWaiting(work: WaitingWork): AsyncDisposable {
  const stop = new AbortController();
  const running = run(work, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function run(work: WaitingWork, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await untilWaiting(work, stop);
      if (stop.aborted) return;
      await using _opened = await work.open();
      for (let before = -1; !stop.aborted && (await isUsed(work, before)); ) {
        before = work.loads();
        await work.clock.wait(idleMs, stop);
      }
    } catch (error) {
      work.failed(error);
      await work.clock.wait(retryMs, stop);
    }
  }
}

async function untilWaiting({ grown, waitingBytes }: WaitingWork, stop: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const end = (): void => stopped.resolve();
  stop.addEventListener("abort", end, { once: true });
  try {
    for (let more = grown(); !stop.aborted && (await waitingBytes()) === 0; more = grown()) {
      await Promise.race([more, stopped.promise]);
    }
  } finally {
    stop.removeEventListener("abort", end);
  }
}

/** Reports whether records wait, or were loaded since. */
async function isUsed({ loads, waitingBytes }: WaitingWork, before: number): Promise<boolean> {
  return loads() !== before || (await waitingBytes().catch(() => 1)) > 0;
}
