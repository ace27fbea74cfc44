import type { BatchRecord, BusyChannel, LeaseRequest, LeaseResult, Settled, Settlement } from "./batches.ts";
import type {
  ChannelDeleted,
  ChannelSaved,
  DueTask,
  NewChannel,
  NewTask,
  Page,
  PageRequest,
  StoredChannel,
  StoredTask,
  TaskCreated,
} from "./records.ts";
import type {
  BatchesToAppend,
  DueClaim,
  DueClaimed,
  NewRun,
  Preparation,
  RunStarted,
  RunStatistics,
  StoredRun,
  TaskCancelled,
} from "./runs.ts";
import type { Share, ShareRequest } from "./shares.ts";

export type {
  BatchRecord,
  BatchState,
  BusyChannel,
  FailedItem,
  LeasedBatch,
  LeaseRequest,
  LeaseResult,
  Outcome,
  Settled,
  Settlement,
} from "./batches.ts";
export type {
  ChannelDeleted,
  ChannelSaved,
  DueTask,
  NewChannel,
  NewTask,
  Page,
  PageRequest,
  StoredChannel,
  StoredTask,
  TaskCreated,
  TaskState,
} from "./records.ts";
export type {
  AudienceCounts,
  BatchesToAppend,
  DueClaim,
  DueClaimed,
  NewBatch,
  NewRun,
  Preparation,
  RunStarted,
  RunState,
  RunStatistics,
  SegmentCounts,
  StoredRun,
  TaskCancelled,
} from "./runs.ts";
export type { Share, ShareRequest } from "./shares.ts";

/**
 * Channels, tasks, their runs and the batches of these. Every method is one
 * commit, durable before it resolves, and safe to call from any number of
 * replicas where the driver allows them. Methods reject with
 * ChannelsUnavailableError while the store is away, and with the signal's
 * reason when it is aborted; then it is not known whether the call had effect.
 *
 * Times are milliseconds since 1970 by the store's clock, `now` of its options.
 * Leases and what is due go by another one, `leaseNow`, which nobody sets: an
 * hour that a clock is put forward must not end the leases of what is being sent.
 */
export interface ChannelStore extends AsyncDisposable {
  createChannel(channel: NewChannel, options?: CallOptions): Promise<ChannelSaved>;
  /** Null: there is none. */
  channel(channelId: string, options?: CallOptions): Promise<StoredChannel | null>;
  /** By name, in the order of code points. */
  channels(
    filter: { readonly projectId?: number },
    page: PageRequest,
    options?: CallOptions,
  ): Promise<Page<StoredChannel>>;
  /** @param version the present one must be this; undefined: any */
  updateChannel(
    channelId: string,
    version: number | undefined,
    channel: NewChannel,
    options?: CallOptions,
  ): Promise<ChannelSaved>;
  deleteChannel(
    channelId: string,
    version: number | undefined,
    options?: CallOptions,
  ): Promise<ChannelDeleted>;

  /** `scheduled` when it has a first time, `draft` otherwise. */
  createTask(task: NewTask, options?: CallOptions): Promise<TaskCreated>;
  task(taskId: string, options?: CallOptions): Promise<StoredTask | null>;
  /** Newest first. */
  tasks(
    filter: { readonly channelId?: string },
    page: PageRequest,
    options?: CallOptions,
  ): Promise<Page<StoredTask>>;
  /** Begins a run now; the task's next time stays. */
  startRun(taskId: string, run: NewRun, options?: CallOptions): Promise<RunStarted>;
  /**
   * Ends a task for ever: it has no further time, its run takes no more
   * batches, and its pending ones fail as `cancelled`. Those in flight are
   * still settled by who has them.
   */
  cancelTask(taskId: string, options?: CallOptions): Promise<TaskCancelled>;

  /** Tasks whose time has come, earliest first, and the earliest time behind now (null: none). */
  dueTasks(
    limit: number,
    options?: CallOptions,
  ): Promise<{ readonly due: readonly DueTask[]; readonly nextAtMs: number | null }>;
  /** Takes one time of one task, and begins the run of it in the same commit. */
  claimDueTask(claim: DueClaim, options?: CallOptions): Promise<DueClaimed>;

  run(runId: string, options?: CallOptions): Promise<StoredRun | null>;
  /** Null: there is no such run. */
  statistics(runId: string, options?: CallOptions): Promise<RunStatistics | null>;

  /** The oldest run that is to be prepared and that nobody prepares; null: none. */
  leasePreparation(owner: string, leaseMs: number, options?: CallOptions): Promise<Preparation | null>;
  /** When it ends now; null: the token is void, the preparation is somebody else's or over. */
  extendPreparation(token: string, leaseMs: number, options?: CallOptions): Promise<number | null>;
  /** Gives it back, so that another one can go on after a while; 0: at once. */
  releasePreparation(token: string, afterMs: number, options?: CallOptions): Promise<void>;
  /** What was kept with batches. Null: there is no such page. Pages are deleted when the run is prepared or has ended. */
  audience(runId: string, page: number, options?: CallOptions): Promise<Uint8Array | null>;
  /**
   * Stores batches, cursor and counts in one commit. `stale`: the token is
   * void, or other batches were stored since `afterNumber`; nothing has
   * changed then. With `isLast` the run is `sending`, or `done` when nothing is
   * left to be sent.
   */
  appendBatches(
    token: string,
    append: BatchesToAppend,
    options?: CallOptions,
  ): Promise<{ readonly kind: "appended"; readonly run: StoredRun } | { readonly kind: "stale" }>;
  /** The run can't be prepared. Batches stored so far are not sent any more, and count as failed by `cancelled`. */
  failRun(token: string, failure: string, options?: CallOptions): Promise<boolean>;

  /** Channels with batches that wait, are due or under way, earliest first. */
  busyChannels(options?: CallOptions): Promise<readonly BusyChannel[]>;
  /** Due batches of one channel, the longest due first. */
  leaseBatches(request: LeaseRequest, options?: CallOptions): Promise<LeaseResult>;
  /** Prolongs leases; answers the tokens that are void. */
  extendBatches(
    tokens: readonly string[],
    leaseMs: number,
    options?: CallOptions,
  ): Promise<readonly string[]>;
  /**
   * Marks attempts as begun, right before their calls; answers the tokens that
   * are void, whose batches must not be sent. A lease that was never marked is
   * no attempt when its holder dies.
   */
  beginBatches(tokens: readonly string[], options?: CallOptions): Promise<readonly string[]>;
  /**
   * Settles attempts, in one commit; one answer for each, in their order. A run
   * whose last batch it is, is `done` then.
   */
  settleBatches(settlements: readonly Settlement[], options?: CallOptions): Promise<readonly Settled[]>;
  /** By number. `onlyFailed`: those that failed, or with failed items. */
  batches(
    runId: string,
    filter: { readonly onlyFailed?: boolean },
    page: PageRequest,
    options?: CallOptions,
  ): Promise<Page<BatchRecord>>;

  /**
   * A process's part of the rate of a channel; asked for again before its lease
   * ends. When that ends without, the share is given to others after some seconds.
   * @throws RangeError
   */
  shareRate(request: ShareRequest, options?: CallOptions): Promise<Share>;
  /** Leaves a share to others after a while, which is at most a minute; 0: at once. */
  leaveRate(channelId: string, token: string, afterMs: number, options?: CallOptions): Promise<void>;

  /**
   * Deletes the batches of runs that ended longer ago than the retention, and
   * those runs, but for the latest run of each task. A bounded piece of work;
   * call again while `more`.
   */
  prune(
    options?: CallOptions,
  ): Promise<{ readonly batches: number; readonly runs: number; readonly more: boolean }>;

  /** Resolves while the store can be read. @throws ChannelsUnavailableError */
  check(options?: CallOptions): Promise<void>;

  /**
   * Tells that there may be something to prepare or to send, through this
   * process, at once. Only a hint: what other replicas do, retries and ends of
   * leases are found by looking.
   */
  onWork(listener: () => void): Disposable;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** How long runs that have ended are kept with their batches. Default 30 days. */
export const defaultRunRetentionMs = 2_592_000_000;

/** The store can't do its work now. Answer UNAVAILABLE. */
export class ChannelsUnavailableError extends Error {
  override readonly name: string = "ChannelsUnavailableError";
}

/** No room for more; what is stored is sent nevertheless, and counted. */
export class ChannelsFullError extends ChannelsUnavailableError {
  override readonly name = "ChannelsFullError";
}

/** The store can't be opened, and trying again won't help: in use, damaged, or of another version. */
export class ChannelsOpenError extends Error {
  override readonly name = "ChannelsOpenError";
}

/** The page asked for begins behind something that is not in a list of this kind. */
export class PageCursorError extends RangeError {
  override readonly name = "PageCursorError";
}
