import type { LoadBatch, LoadCounts, SpoolPlace } from "./load.ts";
import type { NameRemoval, NameUses, RemovedNames } from "./names.ts";
import type { NumberSpread, Scan, ScanResult, StoredUser, UserScan } from "./scan.ts";
import type { ProjectSchema } from "./schema.ts";
import type { UserSelection } from "./selection.ts";

// The port is one import for services; its words are described in these files.
export type * from "./load.ts";
export type * from "./names.ts";
export type * from "./scan.ts";
export type * from "./schema.ts";
export type * from "./selection.ts";

/** Of a project that nothing has been loaded for. */
export const emptySchema: ProjectSchema = { version: 0, events: new Map(), properties: new Map() };

/**
 * Events and users of projects, and what can be computed of them. Rows come in
 * batches from a spool, each once; a query sees a whole number of batches.
 *
 * All methods reject with EventsUnavailableError when the engine cannot do its
 * work at present, queries also with TooManyQueriesError, PatternTooLargeError and PlanTooLargeError,
 * and with the signal's reason soon after it is aborted, when the work is really
 * cancelled.
 */
export interface EventStore extends AsyncDisposable {
  schema(projectId: number): ProjectSchema;
  /** Where the loaded part of the spool ends; undefined before the first batch. */
  loadedTo(): SpoolPlace | undefined;
  /**
   * Up to here no record is needed any more: at or before `loadedTo`. What was loaded since may have to be loaded
   * again when a log of the engine is lost.
   */
  settledTo(): SpoolPlace | undefined;
  /** One transaction. */
  load(batch: LoadBatch): Promise<LoadCounts>;

  scan(scan: Scan, signal: AbortSignal): Promise<ScanResult>;
  /** Several of one moment: loads come before all or after all of them. In the order of the scans. */
  scanAll(scans: readonly Scan[], signal: AbortSignal): Promise<readonly ScanResult[]>;
  /** Each user once, in the order of user ids, some at a time. Whoever reads them slowly keeps no query waiting. */
  users(scan: UserScan, signal: AbortSignal): AsyncIterable<readonly StoredUser[]>;
  /** Users that are known, by `seen` or an operation; else as `users`. */
  selectUsers(selection: UserSelection, signal: AbortSignal): AsyncIterable<readonly StoredUser[]>;
  /** Of an expression, over the events of a scan whose `where` holds. */
  spread(scan: Scan, of: Scan["keys"][number], signal: AbortSignal): Promise<NumberSpread>;

  /** Makes or replaces the version of that day. */
  importCluster(
    version: ClusterVersion,
    members: AsyncIterable<readonly ClusterMember[]>,
  ): Promise<ClusterCounts>;
  clusters(projectId: number): Promise<readonly ClusterInfo[]>;

  /** Records as they could be imported again, some at a time: users first, then events by day. */
  export(range: ExportRange, signal: AbortSignal): AsyncIterable<readonly ExportedRecord[]>;
  /** All ids that are known of users, some at a time: what an intake that was lost has to know again. */
  identities(signal: AbortSignal): AsyncIterable<readonly StoredIdentity[]>;
  /** Rewrites closed days in the order of event and time, and drops days older than retention. Safe beside everything else. */
  compact(options: CompactOptions): Promise<CompactReport>;
  stats(): Promise<StoreStats>;
  /** Of a project. Reads everything. */
  nameUses(projectId: number, signal: AbortSignal): Promise<NameUses>;
  /**
   * Forgets names, what is stored under them, and the room that it took. Names that are not known do not matter. While
   * rows that use the names may still be loaded it must not be called: their numbers can be given to others.
   */
  removeNames(removal: NameRemoval): Promise<RemovedNames>;
  /** Of this moment. */
  queryCounts(): QueryCounts;
  /** Reads everything once; each string is one fault found. */
  check(signal: AbortSignal, onProgress?: OnProgress): Promise<readonly string[]>;
}

/** The engine can't work at present: disk full, I/O error, closed. */
export class EventsUnavailableError extends Error {
  override readonly name: string = "EventsUnavailableError";
}

/** The engine has not the memory for what it is asked at present; for a smaller batch it may have. */
export class EventsMemoryError extends EventsUnavailableError {
  override readonly name = "EventsMemoryError";
}

/** The store can't be opened: in use by another process, or not a store of this service. */
export class EventsOpenError extends Error {
  override readonly name = "EventsOpenError";
}

/** A pattern of a plan is valid, but takes more memory than the engine has for one. */
export class PatternTooLargeError extends Error {
  override readonly name = "PatternTooLargeError";
}

/** A plan is valid, but its statement is longer than the engine takes. */
export class PlanTooLargeError extends Error {
  override readonly name = "PlanTooLargeError";
}

/** As many queries run and wait as may. */
export class TooManyQueriesError extends Error {
  override readonly name = "TooManyQueriesError";
}

export interface ClusterVersion {
  readonly projectId: number;
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  /** A cohort has members, a tag gives each a value. */
  readonly kind: "cohort" | "tag";
}

/** A user by one of its ids, and of a tag its value. */
export interface ClusterMember {
  readonly accountId?: string;
  readonly distinctId?: string;
  readonly userId?: bigint;
  readonly value?: string;
}

/** How many members were known users, and how many were not. */
export interface ClusterCounts {
  readonly members: number;
  readonly unknown: number;
}

export interface ClusterInfo extends ClusterVersion {
  readonly members: number;
}

export interface ExportRange {
  readonly projectId: number;
  /** Instants; events in [startMs, endMs). */
  readonly startMs: number;
  readonly endMs: number;
  readonly users: boolean;
}

/** One standard record, ready to be written as a line of exact JSON: integers beyond 2^53 are bigints. */
export type ExportedRecord = Readonly<Record<string, unknown>>;

/** A user, and one of its ids; without one it says only that the user id was given. */
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
  /** Per project; projects that are left out keep everything. */
  readonly keepDays: ReadonlyMap<number, number>;
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress;
}

/** Told from time to time how much of its parts a long work has behind it. */
export type OnProgress = (done: number, all: number) => void;

export interface CompactReport {
  readonly rewrittenDays: number;
  readonly droppedDays: number;
  readonly droppedEvents: number;
}

export interface QueryCounts {
  readonly running: number;
  /** For their turn. */
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
