/** What a process asks of a rate that all processes have together. */
export interface ShareAsked {
  /** Of the answer before; undefined: the first time, or when the share was left. */
  readonly token?: string | undefined;
  /** Calls in a second, over all processes, 1 to 10,000. */
  readonly perSecond: number;
  /**
   * What the process may have sent by less than a second ago, 0 to 10,000. What
   * it had beyond that is given back: others may have it at once.
   */
  readonly held: number;
  /** How much of it could be used, 0 to 10,000; 0 and nothing held: the share is left. */
  readonly wanted: number;
  /** How long the answer is good for; 1 ms to 1 minute. */
  readonly leaseMs: number;
}

/** A part of a rate. Those of all processes are never more than the rate together. */
export interface Share {
  readonly token: string;
  /** Calls in a second that may be made until the lease ends, which began before the question. */
  readonly held: number;
  /**
   * What `held` is to become. Where that is less, the process sends no more than
   * this from now on, and asks again with less `held` when a second is over
   * since the last answer to what it sent before.
   */
  readonly fair: number;
  /** Shares of all processes; more than `perSecond` while one that is lowered is still held in part. */
  readonly total: number;
  /** In how long a share that is held by a process that has ended is free; undefined: none is. */
  readonly freeInMs?: number | undefined;
}

/** The shares of one rate, kept where all its processes can ask. */
export interface RateShares {
  shareRate(asked: ShareAsked): Promise<Share>;
  /** @param afterMs until what was sent is in no window of a second any more */
  leaveRate(token: string, afterMs: number): Promise<void>;
}
