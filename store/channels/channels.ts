import type { RateShareRequest, Share } from "../../base/async/rate-shares.ts";
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
  TaskFilter,
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
  TaskFilter,
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
export type { Share };

/**
 * Stores channels, tasks, their runs and the batches of these. Every method is one commit, which is durable before it
 * resolves. Only leases and marks may be lost when the computer loses power. Where the driver allows replicas, any
 * number of them may call every method.
 *
 * Methods reject with ChannelsUnavailableError while the store is unavailable, and with the signal's
 * reason when it is aborted; then the effect of the call is unknown.
 *
 * Times are milliseconds since 1970 by the store's clock, `now` of its options. Leases and due times
 * use another clock, `leaseNow`, which is never set: setting a clock forward by an hour must not end
 * the leases of batches being sent.
 */
export interface ChannelStore extends AsyncDisposable {
  createChannel(channel: NewChannel, options?: CallOptions): Promise<ChannelSaved>;
  /** Returns null when there is no such channel. */
  channel(channelId: string, options?: CallOptions): Promise<StoredChannel | null>;
  /** Lists channels by name, in the order of code points. */
  channels(
    filter: { readonly projectId?: number },
    page: PageRequest,
    options?: CallOptions,
  ): Promise<Page<StoredChannel>>;
  /** @param version the expected present version; undefined: any */
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

  /** Creates a task: `scheduled` when it has a first time, `draft` otherwise. */
  createTask(task: NewTask, options?: CallOptions): Promise<TaskCreated>;
  task(taskId: string, options?: CallOptions): Promise<StoredTask | null>;
  /** Lists tasks, newest first. */
  tasks(filter: TaskFilter, page: PageRequest, options?: CallOptions): Promise<Page<StoredTask>>;
  /** Starts a run now; the task's next time remains. */
  startRun(taskId: string, run: NewRun, options?: CallOptions): Promise<RunStarted>;
  /**
   * Cancels a task permanently: it has no further time, its run accepts no more batches, and its
   * pending batches fail as `cancelled`. Batches in flight are still settled by their holders.
   */
  cancelTask(taskId: string, options?: CallOptions): Promise<TaskCancelled>;

  /** Returns the due tasks, earliest first, and the earliest time after now (null: none). */
  dueTasks(
    limit: number,
    options?: CallOptions,
  ): Promise<{ readonly due: readonly DueTask[]; readonly nextAtMs: number | null }>;
  /** Claims one time of one task, and starts its run in the same commit. */
  claimDueTask(claim: DueClaim, options?: CallOptions): Promise<DueClaimed>;

  run(runId: string, options?: CallOptions): Promise<StoredRun | null>;
  /** Returns null when there is no such run. */
  statistics(runId: string, options?: CallOptions): Promise<RunStatistics | null>;

  /** Leases the oldest run which needs preparation and has no lease; null when there is none. */
  leasePreparation(owner: string, leaseMs: number, options?: CallOptions): Promise<Preparation | null>;
  /** Extends the lease; returns its end, or null when the token is stale or the preparation is over. */
  extendPreparation(token: string, leaseMs: number, options?: CallOptions): Promise<number | null>;
  /** Releases the lease, so that another process can continue after this time; 0: at once. */
  releasePreparation(token: string, afterMs: number, options?: CallOptions): Promise<void>;
  /**
   * Returns a page of audience data stored with batches; null when there is no such page. Pages are
   * deleted when the run is prepared or has ended.
   */
  audience(runId: string, page: number, options?: CallOptions): Promise<Uint8Array | null>;
  /**
   * Stores batches, cursor and counts in one commit. Returns `stale`, without a change, when the token
   * is stale or other batches were stored since `afterNumber`. With `isLast` the run becomes `sending`,
   * or `done` when nothing remains to be sent.
   */
  appendBatches(
    token: string,
    append: BatchesToAppend,
    options?: CallOptions,
  ): Promise<{ readonly kind: "appended"; readonly run: StoredRun } | { readonly kind: "stale" }>;
  /**
   * Ends a run which can't be prepared. Batches stored so far are not sent any more, and count as
   * failed by `cancelled`.
   */
  failRun(token: string, failure: string, options?: CallOptions): Promise<boolean>;

  /** Lists channels with open batches, earliest due first. */
  busyChannels(options?: CallOptions): Promise<readonly BusyChannel[]>;
  /** Leases due batches of one channel, the longest due first. */
  leaseBatches(request: LeaseRequest, options?: CallOptions): Promise<LeaseResult>;
  /** Extends leases; returns the stale tokens. */
  extendBatches(
    tokens: readonly string[],
    leaseMs: number,
    options?: CallOptions,
  ): Promise<readonly string[]>;
  /**
   * Records that attempts begin, right before their calls. Returns the stale tokens, whose batches must
   * not be sent. A lease which was never marked is no attempt when its holder dies.
   */
  beginBatches(tokens: readonly string[], options?: CallOptions): Promise<readonly string[]>;
  /**
   * Settles attempts in one commit; returns one result for each, in their order. A run becomes `done`
   * with its last batch.
   */
  settleBatches(settlements: readonly Settlement[], options?: CallOptions): Promise<readonly Settled[]>;
  /** Lists batches by number. `onlyFailed`: only those which failed or have failed items. */
  batches(
    runId: string,
    filter: { readonly onlyFailed?: boolean },
    page: PageRequest,
    options?: CallOptions,
  ): Promise<Page<BatchRecord>>;

  /**
   * Returns a process's share of the rate of a channel. The process asks again before its lease ends;
   * otherwise the share goes to others some seconds later.
   * @throws RangeError
   */
  shareRate(request: ShareRequest, options?: CallOptions): Promise<Share>;
  /** Releases a share to others after a time of at most a minute; 0: at once. */
  leaveRate(channelId: string, token: string, afterMs: number, options?: CallOptions): Promise<void>;

  /**
   * Deletes the batches of runs which ended longer ago than the retention, and these runs, except the
   * latest run of each task. The amount of work is bounded; call again while `more`.
   */
  prune(
    options?: CallOptions,
  ): Promise<{ readonly batches: number; readonly runs: number; readonly more: boolean }>;

  /**
   * Resolves when the store can be read.
   * @throws ChannelsUnavailableError
   */
  check(options?: CallOptions): Promise<void>;

  /**
   * Calls the listener when there may be work to prepare or to send through this process. Only a hint:
   * work of other replicas, retries and ended leases need polling.
   */
  onWork(listener: () => void): Disposable;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** How long ended runs are kept with their batches. Default 30 days. */
export const defaultRunRetentionMs = 2_592_000_000;

/** The store can't do its work at the moment. Reply with UNAVAILABLE. */
export class ChannelsUnavailableError extends Error {
  override readonly name: string = "ChannelsUnavailableError";
}

/** There is no space for more; stored batches are still sent and counted. */
export class ChannelsFullError extends ChannelsUnavailableError {
  override readonly name = "ChannelsFullError";
}

/** The store can't be opened, and trying again does not help: it is in use, damaged, or of another version. */
export class ChannelsOpenError extends Error {
  override readonly name = "ChannelsOpenError";
}

/** The requested page starts after an item which is not in a list of this kind. */
export class PageCursorError extends RangeError {
  override readonly name = "PageCursorError";
}

/** A process's request for its share of the rate of a channel. */
export interface ShareRequest extends RateShareRequest {
  readonly channelId: string;
}
