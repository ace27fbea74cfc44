import type { EventSelection, UserIdentifier } from "./deletions.ts";
import type { LoadBatch, LoadCounts, SpoolPlace } from "./load.ts";
import type { EventUse, NameRemoval, NameUses, RemovedNames } from "./names.ts";
import type { NumberSummary, QueryCaller, Scan, ScanResult, UserScan, UserSelection } from "./scan.ts";
import type { ProjectSchema } from "./schema.ts";
import type { UserChunk } from "./user-chunk.ts";
import type { ProjectVolumes, TopValues, ValuesWanted } from "./volumes.ts";

export type * from "./deletions.ts";
// The port is one import for services; these files describe its types.
export type * from "./load.ts";
export type * from "./names.ts";
export type * from "./scan.ts";
export type * from "./schema.ts";
export type * from "./user-chunk.ts";
export type * from "./volumes.ts";

/** The schema of a project without loaded data. */
export const emptySchema: ProjectSchema = { version: 0, events: new Map(), properties: new Map() };

/**
 * Stores events and users of projects, and computes results from them. Rows arrive in batches from a
 * spool, each once; a query sees a whole number of batches.
 *
 * All methods reject with EventsUnavailableError when the engine can't do its work at the moment,
 * queries also with TooManyQueriesError, PatternTooLargeError and PlanTooLargeError, and with the
 * signal's reason soon after it is aborted, when the work has really been cancelled.
 */
export interface EventStore extends AsyncDisposable {
  schema(projectId: number): ProjectSchema;
  /** Returns the end of the loaded part of the spool; undefined before the first batch. */
  loadedTo(): SpoolPlace | undefined;
  /**
   * Returns the place before which no record is needed any more, at or before `loadedTo`. What was
   * loaded since may have to be loaded again when a log of the engine is lost.
   */
  settledTo(): SpoolPlace | undefined;
  /** Loads a batch in one transaction. */
  load(batch: LoadBatch): Promise<LoadCounts>;

  scan(scan: Scan, signal: AbortSignal): Promise<ScanResult>;
  /**
   * Runs several scans on one snapshot: every load is visible to all of them or to none. Results are in
   * the order of the scans.
   */
  scanAll(scans: readonly Scan[], signal: AbortSignal): Promise<readonly ScanResult[]>;
  /** Returns each user once, in the order of user ids, in chunks. A slow reader delays no query. */
  users(scan: UserScan, signal: AbortSignal): AsyncIterable<UserChunk>;
  /** As `users`, for the users who are known by `seen` or by an operation. */
  selectUsers(selection: UserSelection, signal: AbortSignal): AsyncIterable<UserChunk>;
  /** Returns the summary of an expression's numbers over the events of a scan for which its `where` holds. */
  summarize(scan: Scan, of: Scan["keys"][number], signal: AbortSignal): Promise<NumberSummary>;
  /** Counts the events of each name and the values of each property, as a scan of all events would. */
  volumes(caller: QueryCaller, signal: AbortSignal): Promise<ProjectVolumes>;
  /** Returns the most frequent values of an expression. An event with a list counts for each distinct element. */
  topValues(wanted: ValuesWanted, signal: AbortSignal): Promise<TopValues>;

  /** Creates or replaces the version of its day. */
  importCohort(
    version: CohortVersion,
    members: AsyncIterable<readonly CohortMember[]>,
  ): Promise<CohortCounts>;
  cohorts(projectId: number): Promise<readonly CohortInfo[]>;

  /**
   * Exports records in the form in which they could be imported again, in chunks: users first, then
   * events by day.
   */
  export(range: ExportRange, signal: AbortSignal): AsyncIterable<readonly ExportedRecord[]>;
  /** Returns all known ids of users, in chunks, to rebuild a lost intake. */
  identities(signal: AbortSignal): AsyncIterable<readonly StoredIdentity[]>;
  /**
   * Rewrites closed days in the order of event and time, and drops days older than the retention. Safe
   * beside all other work.
   */
  compact(options: CompactOptions): Promise<CompactReport>;
  stats(): Promise<StoreStats>;
  /** Counts how often each name of a project is used. Reads everything. */
  nameUses(projectId: number, signal: AbortSignal): Promise<NameUses>;
  /**
   * Deletes names, the data stored under them, and the disk space it took. Unknown names are ignored.
   * It must not be called while rows which use the names may still be loaded: their numbers can be
   * assigned again.
   */
  removeNames(removal: NameRemoval): Promise<RemovedNames>;
  /** Returns the user of each identifier: of its user id, otherwise of its account, otherwise of its visitor. */
  findUsers(
    projectId: number,
    identifiers: readonly UserIdentifier[],
    signal: AbortSignal,
  ): Promise<readonly (number | undefined)[]>;
  /** Counts the selected events of each name that has any. */
  countEvents(selection: EventSelection, signal: AbortSignal): Promise<readonly EventUse[]>;
  /**
   * Deletes the selected events which are loaded. Their names, and the users, are kept.
   * @returns the number of deleted events
   * @throws TooManyEventsError, when nothing is deleted
   */
  deleteEvents(selection: EventSelection, maxEvents: number): Promise<number>;
  /** Returns the numbers of running and waiting queries at the moment. */
  queryCounts(): QueryCounts;
  /** Reads everything once; returns one text for each fault found. */
  check(signal: AbortSignal, onProgress?: OnProgress): Promise<readonly string[]>;
}

/** The engine can't work at the moment: disk full, I/O error, closed. */
export class EventsUnavailableError extends Error {
  override readonly name: string = "EventsUnavailableError";
  /** The time after which another call may succeed, where it may without anyone's action. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The engine has not enough memory for the request at the moment; a smaller batch may fit. */
export class EventsMemoryError extends EventsUnavailableError {
  override readonly name = "EventsMemoryError";
}

/** The store can't be opened: it is in use by another process, or not a store of this service. */
export class EventsOpenError extends Error {
  override readonly name = "EventsOpenError";
}

/** More events are selected than may be deleted. */
export class TooManyEventsError extends Error {
  override readonly name = "TooManyEventsError";
  /** The number of selected events. */
  readonly events: number;

  constructor(events: number, maxEvents: number) {
    super(`the selection has ${events} events, at most ${maxEvents} may be deleted`);
    this.events = events;
  }
}

/** A pattern of a plan is valid, but needs more memory than the engine has for one. */
export class PatternTooLargeError extends Error {
  override readonly name = "PatternTooLargeError";
}

/** A plan is valid, but its statement is longer than the engine accepts. */
export class PlanTooLargeError extends Error {
  override readonly name = "PlanTooLargeError";
}

/** The maximum number of queries run and wait. */
export class TooManyQueriesError extends Error {
  override readonly name = "TooManyQueriesError";
}

export interface CohortVersion {
  readonly projectId: number;
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  /** A cohort has members; a tag gives each member a value. */
  readonly kind: "cohort" | "tag";
}

/** A user by one of its ids; for a tag with its value. */
export interface CohortMember {
  readonly accountId?: string;
  readonly distinctId?: string;
  readonly userId?: bigint;
  readonly value?: string;
}

/** The numbers of members which are known users, and of those which are not. */
export interface CohortCounts {
  readonly members: number;
  readonly unknown: number;
}

export interface CohortInfo extends CohortVersion {
  readonly members: number;
}

export interface ExportRange {
  readonly projectId: number;
  /** Instants; the range is [startMs, endMs). */
  readonly startMs: number;
  readonly endMs: number;
  readonly users: boolean;
}

/** One standard record to write as a line of exact JSON: integers beyond 2^53 are bigints. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

/** A user and one of its ids; without one, only the user id is in use. */
export interface StoredIdentity {
  readonly projectId: number;
  readonly userId: number;
  readonly accountId?: string | undefined;
  readonly distinctId?: string | undefined;
  /** Whether the user has an account. */
  readonly hasAccount: boolean;
}

export interface CompactOptions {
  readonly nowMs: number;
  /** The days to keep by project; other projects keep everything. */
  readonly keepDays: ReadonlyMap<number, number>;
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress;
}

/** Called from time to time with the number of finished parts of a long task. */
export type OnProgress = (done: number, all: number) => void;

export interface CompactReport {
  readonly rewrittenDays: number;
  readonly droppedDays: number;
  readonly droppedEvents: number;
}

export interface QueryCounts {
  readonly running: number;
  /** Queries which wait to run. */
  readonly waiting: number;
}

export interface StoreStats {
  readonly bytes: number;
  readonly projects: readonly ProjectStats[];
}

export interface ProjectStats {
  readonly projectId: number;
  readonly days: number;
  /** `yyyy-MM-dd`, UTC; undefined without events. */
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
  readonly events: number;
  readonly updatableEvents: number;
  readonly users: number;
  readonly eventNames: number;
  readonly properties: number;
}
