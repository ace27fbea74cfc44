/** A dead letter in a store. */
export interface StoredDeadLetter {
  /** Identifies it in its list, until it is removed. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly source: string;
  readonly index: string | undefined;
  readonly format: string | undefined;
  readonly reason: string;
  readonly message: string;
  /** The line; bytes when it is not UTF-8. */
  readonly line: string | Uint8Array;
  /** The number of lines in `line`. */
  readonly lines: number;
  /** Whether only the beginning of the line was kept. */
  readonly isCut: boolean;
  /** The JSON as it is stored, without a line end. */
  readonly json: string;
}

/** All given fields must match. */
export interface StoredFilter {
  readonly id?: string;
  readonly reason?: string;
  /** A part of the message. */
  readonly text?: string;
  readonly index?: string;
  /** At or after this time, in milliseconds since 1970. */
  readonly fromMs?: number;
  /** Before this time. */
  readonly untilMs?: number;
}

export interface StoredRequest {
  /** The maximum number of dead letters, at least 1. */
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  readonly order: "newest" | "oldest";
}

export interface StoredPage {
  readonly items: readonly StoredDeadLetter[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
}

/** Dead letters with one reason and, if the list is counted so, one index. */
export interface StoredGroup {
  readonly reason: string;
  readonly index: string | undefined;
  readonly count: number;
  readonly bytes: number;
  readonly oldestMs: number;
  readonly newestMs: number;
  /** The newest; its line has at most `exampleLength` characters or bytes, and its `json` is empty. */
  readonly example: StoredDeadLetter;
}

export interface StoredGroups {
  readonly groups: readonly StoredGroup[];
  /** Whether every dead letter is counted. */
  readonly isComplete: boolean;
}

/**
 * Reads what a store of dead letters keeps, while others may append to it. Each call does a bounded
 * amount of work, so pages may have fewer items than requested, or none, while `next` is set.
 *
 * All methods reject with DeadLettersUnavailableError while the store cannot be read, and with
 * DeadLetterCursorError for an `after` that is not of a list of this kind.
 */
export interface DeadLetterList extends AsyncDisposable {
  list(filter: StoredFilter, request: StoredRequest): Promise<StoredPage>;
  /** Returns null for one that was removed or deleted. */
  get(id: string): Promise<StoredDeadLetter | null>;
  /** Counts from the oldest on. Call again with `next` as `after` while it is not null, and add the counts. */
  count(
    filter: StoredFilter,
    after?: string,
  ): Promise<{ readonly count: number; readonly next: string | null }>;
  /** Counts by reason. */
  groups(): Promise<StoredGroups>;
  /** Removes dead letters durably; returns how many of them there were. */
  remove(ids: readonly string[]): Promise<number>;
}
