/**
 * Gives exclusive rights, which are named, to one process at a time. A process which dies loses its
 * rights when their time ends.
 *
 * `postgres/` implements the port for replicas which share a database. `fence.ts` refuses transactions
 * of a former holder.
 */
export interface Leases extends AsyncDisposable {
  /**
   * Acquires a lease when no process holds it. Returns undefined when one does.
   * @param name at most 200 characters
   * @throws LeasesUnavailableError
   */
  tryAcquire(name: string): Promise<Lease | undefined>;
  /**
   * Waits until the lease is free, and acquires it.
   * @param signal ends the wait; the promise then rejects with its reason
   * @throws LeasesUnavailableError when the store is unavailable; the caller tries again
   */
  acquire(name: string, signal: AbortSignal): Promise<Lease>;
  /**
   * Counts the leases whose names begin so and which some process holds.
   * @throws LeasesUnavailableError
   */
  count(prefix: string): Promise<number>;
}

/** A lease which this process holds, and which is renewed in the background. Disposing of it releases it. */
export interface Lease extends AsyncDisposable {
  readonly name: string;
  /** A positive integer which is greater than the tokens of all former leases of the name. */
  readonly token: number;
  /** Is aborted, with a LeaseLostError, when the lease is lost or released. */
  readonly signal: AbortSignal;
  /**
   * Compares the time with the end of the lease. After a process was stopped and continued, this
   * function may be called before the signal is aborted.
   * @throws LeaseLostError when the lease is lost or released, or may be lost
   */
  throwIfLost(): void;
  /**
   * Aborts the signal and lets another process acquire the lease at once. When the store is
   * unavailable, the lease ends by itself.
   */
  release(): Promise<void>;
}

/** The lease is not held any more: another process may act, or has acted, under a later one. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** The store can't do its work at the moment. */
export class LeasesUnavailableError extends Error {
  override readonly name = "LeasesUnavailableError";
}

/** The store can't be opened, and trying again does not help. */
export class LeasesOpenError extends Error {
  override readonly name = "LeasesOpenError";
}
