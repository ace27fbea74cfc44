import type { Clock } from "../../../base/async/clock.ts";
import type { Lease, Leases } from "../../../store/leases/leases.ts";

export interface UnderLeaseOptions {
  readonly leases: Pick<Leases, "acquire">;
  /** The name of the lease. */
  readonly name: string;
  /**
   * Starts the work, which is disposed of when the lease is lost or this process stops. The work itself uses the lease
   * to have its transactions refused once another process may do it.
   */
  readonly start: (lease: Lease) => Promise<AsyncDisposable>;
  /** Returns a signal that ends the work and releases the lease. Default: none. */
  readonly until?: (lease: Lease) => AbortSignal;
  /** Called when the lease could not be acquired, or the work not be started; both are tried again. */
  readonly failed: (error: unknown) => void;
  readonly clock: Pick<Clock, "wait">;
}

const retryMs = 1_000;

/** Does work while this process holds a lease, so that one process at a time does it. */
export function doUnderLease(options: UnderLeaseOptions): AsyncDisposable {
  const stop = new AbortController();
  const running = run(options, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function run(
  { leases, name, start, until, failed, clock }: UnderLeaseOptions,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    try {
      // The work ends before the lease is released.
      await using lease = await leases.acquire(name, stop);
      await using _work = await start(lease);
      await aborted(AbortSignal.any([lease.signal, stop, ...(until === undefined ? [] : [until(lease)])]));
    } catch (error) {
      if (stop.aborted) return;
      failed(error);
      await clock.wait(retryMs, stop);
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
