import { randomUUID } from "node:crypto";
import type { Clock } from "../../../base/async/clock.ts";
import type { Executor } from "../../sql/operations.ts";
import type { Listener } from "../../sql/postgres/listener.ts";
import { type Lease, type Leases, LeasesUnavailableError } from "../leases.ts";
import { HeldLease } from "./held-lease.ts";
import type { Acquisition, operations } from "./operations.ts";

export interface PostgresLeasesOptions {
  readonly executor: Executor<typeof operations>;
  readonly listener: Listener;
  /** The channel of the listener. */
  readonly channel: string;
  readonly leaseMs: number;
  readonly clock: Pick<Clock, "monotonicMs" | "after" | "wait">;
}

const maxNameLength = 200;
/** The minimum time between two requests for a held lease. */
const minWaitMs = 50;

/** Leases whose times are those of the database. */
export class PostgresLeases implements Leases {
  readonly #options: PostgresLeasesOptions;
  readonly #holder = randomUUID();
  readonly #held = new Map<string, Lease>();
  /** The last request for each name: requests of one process for a name follow each other. */
  readonly #asking = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(options: PostgresLeasesOptions) {
    this.#options = options;
  }

  async tryAcquire(name: string): Promise<Lease | undefined> {
    const acquired = await this.#ask(name);
    return acquired instanceof HeldLease ? acquired : undefined;
  }

  async acquire(name: string, signal: AbortSignal): Promise<Lease> {
    const { clock, listener, leaseMs } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const waker = new AbortController();
      using _heard = listener.on(name, () => waker.abort());
      const acquired = await this.#ask(name);
      if (acquired instanceof HeldLease) {
        if (!signal.aborted) return acquired;
        await acquired.release();
        throw signal.reason;
      }
      const waitMs = Math.min(Math.max(acquired, minWaitMs), leaseMs);
      await clock.wait(waitMs, AbortSignal.any([waker.signal, signal]));
    }
  }

  async count(prefix: string): Promise<number> {
    return await this.#options.executor.call("count", 0, [prefix], undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#asking.values());
    await Promise.all(Array.from(this.#held.values(), (lease) => lease.release()));
    await this.#options.listener[Symbol.asyncDispose]();
    await this.#options.executor[Symbol.asyncDispose]();
  }

  /** Returns the lease, or how long another holder has it at least. */
  async #ask(name: string): Promise<HeldLease | number> {
    checkName(name);
    const before = this.#asking.get(name);
    const asking = (before ?? Promise.resolve()).catch(() => {}).then(() => this.#askNow(name));
    this.#asking.set(name, asking);
    try {
      return await asking;
    } finally {
      if (this.#asking.get(name) === asking) this.#asking.delete(name);
    }
  }

  async #askNow(name: string): Promise<HeldLease | number> {
    const { executor, leaseMs, clock } = this.#options;
    if (this.#isClosed) throw new LeasesUnavailableError("lease store is closed");
    if (this.#held.has(name)) return leaseMs;
    const askedMs = clock.monotonicMs();
    const request = { name, holder: this.#holder, leaseMs };
    const acquisition: Acquisition = await executor.call("acquire", 0, [request], undefined);
    if (acquisition.kind === "held") return acquisition.leftMs;
    return this.#hold(name, acquisition.token, askedMs);
  }

  #hold(name: string, token: number, askedMs: number): HeldLease | number {
    const { executor, leaseMs, clock, channel } = this.#options;
    const lease = new HeldLease({
      name,
      token,
      leaseMs,
      askedMs,
      clock,
      renew: () => executor.call("renew", 0, [{ name, token, leaseMs }], undefined),
      ended: async (isReleased) => {
        this.#held.delete(name);
        // When the database is unavailable, the lease ends by itself.
        if (isReleased)
          await executor.call("release", 0, [{ name, token, channel }], undefined).catch(() => {});
      },
    });
    // The reply may have taken longer than the lease lasts.
    if (lease.signal.aborted) return minWaitMs;
    this.#held.set(name, lease);
    return lease;
  }
}

function checkName(name: string): void {
  if (name !== "" && name.length <= maxNameLength && !name.includes("\0")) return;
  throw new RangeError(
    `name of a lease has ${name.length} characters, not 1 to ${maxNameLength} without NUL`,
  );
}
