import type { DeadLetterBatch } from "../../../store/deadletters/deadletters.ts";
import type { LoadBatch, ProjectSchema, SpoolPlace } from "../../../store/events/events.ts";
import type { NameLimits, NameRates } from "../record/name-book.ts";
import type { DroppedProperty, DropReason, RefusalReason } from "../record/record.ts";
import type { WatchFilter } from "../watch/filter.ts";
import type { Sample } from "../watch/sample.ts";

/** Reasons of the loader to refuse a record, in addition to those of the rules. */
export const loadRefusals = [
  /** A damaged line of the spool. */
  "bad_line",
  /** The project was removed from the configuration after the record was accepted. */
  "unknown_project",
  /** An internal error of the service. */
  "internal",
] as const;

export type LoadRefusal = (typeof loadRefusals)[number];

/** The kind of id that a record shares with a stored one. */
export type DuplicateKind = "uuid" | "first_check_id";

/** The results of the records of a batch. */
export interface RecordCounts {
  readonly records: number;
  readonly events: number;
  readonly updates: number;
  /** Operations on users. */
  readonly users: number;
  readonly duplicates: Readonly<Record<DuplicateKind, number>>;
  readonly refused: Readonly<Partial<Record<RefusalReason | LoadRefusal, number>>>;
  /** Dropped properties of stored records. */
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
}

export interface LimitedName {
  readonly projectId: number;
  readonly reason: "event_limit" | "name_rate";
  /** Name of the event or property. */
  readonly name: string;
}

export interface PrepareTask {
  readonly from: SpoolPlace;
  /** Whole lines. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of records after which no further line is prepared. */
  readonly maxRecords: number;
  /** Offsets of lines in the file of the spool that must not be prepared. */
  readonly skipped: readonly number[];
  /** Selects the records that are watched. */
  readonly watched?: readonly WatchFilter[] | undefined;
}

export interface PreparedBatch {
  readonly batch: LoadBatch;
  /** Number of lines of the spool. */
  readonly lines: number;
  readonly counts: RecordCounts;
  /** Refused records. */
  readonly deadLetters: DeadLetterBatch | undefined;
  /** Time of receipt of the first record, ms since 1970. */
  readonly firstReceivedMs: number;
  /** Number of uuids since the start that were deleted early because there were too many. */
  readonly uuidsForgotten: number;
  /** A property of each project that was dropped because of the limit of properties. */
  readonly overLimit: ReadonlyMap<number, DroppedProperty>;
  /** Names that were not added, one for each project and reason. */
  readonly limited?: readonly LimitedName[];
  /** Rates of new names after this batch, by project. */
  readonly rates?: ReadonlyMap<number, NameRates>;
  /** The records that are watched; undefined when the task selects none. */
  readonly sample?: Sample | undefined;
}

/** A batch whose rows are written. */
export interface WrittenBatch extends PreparedBatch {
  /** Resolves when its claims are on disk, before which it must not be loaded. */
  readonly committed: Promise<void>;
}

/** The state of the store from which preparing starts. */
export interface PrepareStart {
  readonly loadedTo: SpoolPlace | undefined;
  /** All configured projects. */
  readonly projects: ReadonlyMap<number, ProjectStart>;
  /** Properties of events, and of users, in each project. Default: no limit. */
  readonly maxProperties?: number | undefined;
  /** Limits of new names in each project. Default: none. */
  readonly names?: NameLimits | undefined;
}

export interface ProjectStart {
  readonly schema: ProjectSchema;
  /** An offset such as `+08:00`, or an IANA name. */
  readonly zone: string;
  readonly rates?: NameRates | undefined;
}

/** Compares two places of the spool: negative if `a` is before `b`, 0 if they are equal. */
export function comparePlaces(a: SpoolPlace, b: SpoolPlace): number {
  return a.number - b.number || a.offset - b.offset;
}
