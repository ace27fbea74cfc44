/**
 * The state which the preparation of records for the event store carries from record to record: the
 * users of ids, and the records received before. Everything between `begin` and `commit` is one
 * transaction, and uncommitted changes never happened. Within a batch all calls are synchronous, for the
 * thread which prepares: what a database has to be asked is asked by `begin`.
 *
 * Records are prepared in batches, each of which begins at the end of the previous one. After an error,
 * batches which the store has not loaded are prepared again: users keep their ids, and `rewind` undoes
 * the claims.
 *
 * All methods throw IntakeUnavailableError when the disk or the database fails; then only `rewind` may
 * follow.
 */
export interface Intake extends AsyncDisposable {
  /** Whether `begin` needs the keys of the batch. Collecting them takes time. */
  readonly needsKeys: boolean;
  /** Returns the end of the last committed batch; undefined before the first. */
  preparedTo(): Promise<IntakePlace | undefined>;
  /**
   * Drops uncommitted changes, and undoes the claims of all batches which began at this place or later.
   * To be called before the first batch. The last `repeatedBatches` then find the claims they found before.
   * @param to the end of what the store has loaded; undefined when it is empty
   * @throws IntakeBehindError when the place is after the last prepared one
   */
  rewind(to: IntakePlace | undefined): Promise<void>;
  /**
   * Marks users and ids of batches from this place as not reported, permanently, since the store has
   * lost, or will never receive, the records which reported them. Takes a second per million ids.
   */
  markUnreported(from: IntakePlace | undefined): Promise<void>;
  /**
   * Adds what the store knows of a user, which counts as reported to it. Known ids stay unchanged. To
   * be called in a batch, before any id is resolved.
   */
  restore(projectId: number, user: RestoredUser): void;
  /**
   * Begins a batch at this place.
   * @param keys what the batch may use, if the intake needs them; default: nothing. A call of the batch
   * with another key throws an Error.
   */
  begin(from: IntakePlace, keys?: IntakeKeys): Promise<void>;
  /** Returns the user of the ids, of which at least one is required. Unpaired surrogates become U+FFFD. */
  resolve(projectId: number, accountId: string | undefined, distinctId: string | undefined): ResolvedUser;
  /**
   * Returns false when the same uuid was claimed within the window before, by the given times of a
   * clock which is never set.
   */
  claimUuid(projectId: number, uuid: string, steadyMs: number): boolean;
  /** Returns false when the id was claimed for the event before. */
  claimFirstCheck(projectId: number, eventName: string, firstCheckId: string): boolean;
  /**
   * Ends the batch at this place. Its changes are on disk when the promise resolves. The next batch may begin before:
   * it finds the changes, and may be committed afterwards.
   */
  commit(to: IntakePlace): Promise<void>;
  stats(): IntakeStats;
}

/**
 * The number of the last batches which may be prepared again. An intake remembers the claims of the window before each
 * of them, however much later the last one is.
 */
export const repeatedBatches = 8;

/** The keys which a batch may use, by project. */
export type IntakeKeys = ReadonlyMap<number, ProjectKeys>;

/** A key may be there several times. */
export interface ProjectKeys {
  readonly accountIds: readonly string[];
  readonly distinctIds: readonly string[];
  readonly uuids: readonly string[];
  /** The ids by the name of the event. */
  readonly firstCheckIds: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A place in the spool of records. Places compare by file number, then by offset. */
export interface IntakePlace {
  readonly number: number;
  /** Bytes. */
  readonly offset: number;
}

export interface ResolvedUser {
  /** `#user_id`: numbered from 1 in each project, in the order of first appearance. */
  readonly userId: number;
  /** Whether the user, or one of these ids, may be unknown to the store. */
  readonly isNew: boolean;
  /** Whether the visitor belongs to this user instead of another account. False without a visitor. */
  readonly ownsVisitor: boolean;
}

/** A user, and at most one of its ids. */
export interface RestoredUser {
  readonly userId: number;
  readonly accountId?: string | undefined;
  readonly distinctId?: string | undefined;
  readonly hasAccount: boolean;
}

export interface IntakeStats {
  /** The number of remembered uuids. */
  readonly uuids: number;
  /** The number of uuids forgotten before the end of their window, because there were too many. */
  readonly uuidsForgotten: number;
}

/** The disk is full or fails. */
export class IntakeUnavailableError extends Error {
  override readonly name = "IntakeUnavailableError";
}

/** The store has users which this intake does not know, so that it might assign their ids again. */
export class IntakeBehindError extends Error {
  override readonly name = "IntakeBehindError";
}

/** The file is in use by another process, damaged, of a newer version, or not an intake. */
export class IntakeOpenError extends Error {
  override readonly name = "IntakeOpenError";
}
