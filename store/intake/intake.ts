/**
 * What is remembered from record to record while they are prepared for the
 * event store: who is who, and which records have been there before. Calls are
 * synchronous, for the thread that prepares. All between `begin` and `commit` is
 * one transaction, and what is not committed never was.
 *
 * Records are prepared in batches, each beginning where the one before ended.
 * After a fault those that the store has not loaded are prepared again: users
 * keep the ids they got, and `rewind` takes the claims back.
 *
 * All methods throw IntakeUnavailableError when the disk is full or fails;
 * then only `rewind` may follow.
 */
export interface Intake extends Disposable {
  /** Where the last committed batch ended; undefined before the first. */
  preparedTo(): IntakePlace | undefined;
  /**
   * Drops what is not committed, and takes back the claims of all batches that
   * began at this place or later. To be called before the first batch.
   * @param to where the store's loaded part ends; undefined when it is empty
   * @throws IntakeBehindError when that is after all that was prepared
   */
  rewind(to: IntakePlace | undefined): void;
  /**
   * Forgets for good that users and ids of batches from this place on were reported as new, since the
   * store has lost, or will never see, what they came with. Takes a second per million ids.
   */
  untell(from: IntakePlace | undefined): void;
  /**
   * In a batch: takes over what the store knows of a user, which counts as reported to it. Ids that are known
   * stay as they are. Before anything else is resolved.
   */
  restore(projectId: number, user: RestoredUser): void;
  /** Begins a batch at this place. */
  begin(from: IntakePlace): void;
  /** At least one id must be given. Halves of surrogate pairs are U+FFFD. */
  resolve(projectId: number, accountId: string | undefined, distinctId: string | undefined): ResolvedUser;
  /** False when the same uuid was claimed less than the window ago, by the times given, of a clock that is never set. */
  claimUuid(projectId: number, uuid: string, steadyMs: number): boolean;
  /** False when the id was ever claimed for the event. */
  claimFirstCheck(projectId: number, eventName: string, firstCheckId: string): boolean;
  /** Ends the batch at this place. What it did is on disk when this returns. */
  commit(to: IntakePlace): void;
  stats(): IntakeStats;
}

/** A place in the spool of records. Compared by file number, then offset. */
export interface IntakePlace {
  readonly number: number;
  /** Bytes. */
  readonly offset: number;
}

export interface ResolvedUser {
  /** `#user_id`: from 1 in each project, in the order of first sight. */
  readonly userId: number;
  /** The user, or that one of these ids is the user's, may not have been told to the store yet. */
  readonly isNew: boolean;
  /** Whether the visitor is this user, and not that of another account. False without a visitor. */
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
  /** Uuids remembered. */
  readonly uuids: number;
  /** Uuids forgotten before their window had passed, because there were too many. */
  readonly uuidsForgotten: number;
}

/** The disk is full or fails. */
export class IntakeUnavailableError extends Error {
  override readonly name = "IntakeUnavailableError";
}

/** The store has users that this intake knows nothing of, so that it could give their ids to others. */
export class IntakeBehindError extends Error {
  override readonly name = "IntakeBehindError";
}

/** Another process has it, or it is damaged, of a newer version or something else. */
export class IntakeOpenError extends Error {
  override readonly name = "IntakeOpenError";
}
