/** Selects events of one project. */
export interface EventSelection {
  readonly projectId: number;
  /** Names; undefined selects events with any name. Unknown names select nothing. */
  readonly events?: readonly string[] | undefined;
  /** Instants in milliseconds since 1970; the range is [startMs, endMs). Infinite values are no limit. */
  readonly startMs: number;
  readonly endMs: number;
  /** Ids of users; undefined selects events of any user. */
  readonly userIds?: readonly number[] | undefined;
}

/** A user by one of its ids. */
export interface UserIdentifier {
  readonly accountId?: string;
  readonly distinctId?: string;
  readonly userId?: bigint;
}
