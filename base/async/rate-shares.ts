/** A process's request for its share of a rate that all processes use together. */
export interface RateShareRequest {
  /** The token of the previous share; undefined the first time, and after the share was left. */
  readonly token?: string | undefined;
  /** Calls a second, over all processes, 1 to 10,000. */
  readonly perSecond: number;
  /**
   * The rate at which the process may have sent within the last second, 0 to 10,000. A larger share from before is
   * given back, and is free for other processes at once.
   */
  readonly held: number;
  /** The rate that the process could use, 0 to 10,000. With 0 wanted and 0 held, the share is left. */
  readonly wanted: number;
  /** How long the share is valid, 1 ms to 1 minute. */
  readonly leaseMs: number;
}

/** A part of a rate. The shares of all processes never exceed the rate together. */
export interface Share {
  readonly token: string;
  /** Calls a second until the lease ends. The lease began before the request. */
  readonly held: number;
  /**
   * The share that the process should have. If it is lower than `held`, the process sends at this lower rate at
   * once. It gives up the rest a second after the response to the last call that it began before.
   */
  readonly fair: number;
  /** The sum of all shares; more than `perSecond` while a lowered share is still partly held. */
  readonly total: number;
  /** The time until the share of a process that has ended is free; undefined if no process has ended. */
  readonly freeInMs?: number | undefined;
}

/** The shares of one rate, in a store that all its processes use. */
export interface RateShares {
  shareRate(request: RateShareRequest): Promise<Share>;
  /** Gives the share back. @param afterMs the time until the last call is more than a second ago */
  leaveRate(token: string, afterMs: number): Promise<void>;
}
