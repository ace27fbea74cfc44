import { untilAborted } from "../../../base/async/abort.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { Lease, Leases } from "../../../store/leases/leases.ts";

export interface LeaseSharesOptions {
  readonly leases: Pick<Leases, "acquire" | "tryAcquire" | "count">;
  /** The number of leases that replicas divide. */
  readonly total: number;
  /** Called when the number of replicas could not be read, which is tried again. */
  readonly failed: (error: unknown) => void;
  readonly clock: Pick<Clock, "wait">;
}

/** Divides leases evenly among replicas: each has a share, and the shares differ by at most one lease. */
export interface LeaseShares extends AsyncDisposable {
  /** Waits until this replica has less than its share and the lease is free, and acquires it. */
  acquire(name: string, signal: AbortSignal): Promise<Lease>;
  /** Returns a signal that is aborted when another replica should have the lease. */
  surplus(lease: Lease): AbortSignal;
}

/** How often the number of replicas is read. */
const lookMs = 5_000;
/** Each replica holds one lease whose name begins so, so that they can be counted. */
const prefix = "replica/";

interface Held {
  readonly lease: Lease;
  readonly surplus: AbortController;
}

/**
 * Counts the replicas from time to time. A replica with more than its share gives the last ones up; replicas with less
 * wait for them.
 */
export function divideLeases({ leases, total, failed, clock }: LeaseSharesOptions): LeaseShares {
  const stop = new AbortController();
  const held = new Map<string, Held>();
  let share = 0;
  let full = new AbortController();
  full.abort();
  let room = Promise.withResolvers<void>();
  let own: Lease | undefined;

  /** To be called after each change of the share and of what is held. */
  function changed(): void {
    const isFull = held.size >= share;
    if (isFull) full.abort();
    if (isFull || !full.signal.aborted) return;
    full = new AbortController();
    room.resolve();
    room = Promise.withResolvers();
  }
  async function look(): Promise<void> {
    if (own === undefined || own.signal.aborted) own = await register(leases, stop.signal);
    share = Math.ceil(total / Math.max(1, await leases.count(prefix)));
    changed();
    for (const { surplus } of [...held.values()].slice(share)) surplus.abort();
  }
  function hold(lease: Lease): Lease {
    held.set(lease.name, { lease, surplus: new AbortController() });
    const drop = (): void => {
      if (held.get(lease.name)?.lease === lease) held.delete(lease.name);
      changed();
    };
    lease.signal.addEventListener("abort", drop, { once: true });
    changed();
    return lease;
  }
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await look().catch((error: unknown) => {
        if (!stop.signal.aborted) failed(error);
      });
      await clock.wait(lookMs, stop.signal);
    }
    await own?.release();
  }
  const running = run();
  return {
    async acquire(name, signal) {
      for (;;) {
        signal.throwIfAborted();
        if (full.signal.aborted) await untilAborted(room.promise, signal);
        const { signal: isFull } = full;
        if (isFull.aborted) continue;
        try {
          const lease = await leases.acquire(name, AbortSignal.any([signal, isFull]));
          if (!isFull.aborted) return hold(lease);
          // Another lease was acquired at the same time.
          await lease.release();
        } catch (error) {
          if (signal.aborted || !isFull.aborted) throw error;
        }
      }
    },
    surplus: (lease) => held.get(lease.name)?.surplus.signal ?? AbortSignal.abort(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Acquires the first free number, so that the number of names stays that of the replicas. */
async function register(leases: Pick<Leases, "tryAcquire">, stop: AbortSignal): Promise<Lease> {
  for (let number = 1; ; number++) {
    stop.throwIfAborted();
    const lease = await leases.tryAcquire(`${prefix}${number}`);
    if (lease !== undefined) return lease;
  }
}
