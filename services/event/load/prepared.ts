import type { DeadLetterBatch } from "../../../store/deadletters/deadletters.ts";
import type { LoadBatch, ProjectSchema, SpoolPlace } from "../../../store/events/events.ts";
import type { NameLimits, NameRates } from "../record/name-book.ts";
import type { DroppedProperty, DropReason, RefusalReason } from "../record/record.ts";

/** Why the loader refused a record, beyond what the rules say. */
export const loadRefusals = [
  /** A line of the spool that is none, for a record of which nothing is known. */
  "bad_line",
  /** The project was in the configuration when the record was taken, and is no longer. */
  "unknown_project",
  /** A fault of the service's own. */
  "internal",
] as const;

export type LoadRefusal = (typeof loadRefusals)[number];

/** Why a record that is all right is not stored: it was before. */
export type DuplicateKind = "uuid" | "first_check_id";

/** What became of the records of a batch. */
export interface RecordCounts {
  readonly records: number;
  readonly events: number;
  readonly updates: number;
  /** Operations on users. */
  readonly users: number;
  readonly duplicates: Readonly<Record<DuplicateKind, number>>;
  readonly refused: Readonly<Partial<Record<RefusalReason | LoadRefusal, number>>>;
  /** Properties, of records that were kept. */
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
}

export interface LimitedName {
  readonly projectId: number;
  readonly reason: "event_limit" | "name_rate";
  /** Of the event or property. */
  readonly name: string;
}

export interface PrepareTask {
  readonly from: SpoolPlace;
  /** Whole lines. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** No further line is begun when there are as many records. */
  readonly maxRecords: number;
  /** Offsets in the spool's file of lines that are not to be touched. */
  readonly skipped: readonly number[];
}

export interface PreparedBatch {
  readonly batch: LoadBatch;
  /** Of the spool. */
  readonly lines: number;
  readonly counts: RecordCounts;
  /** Records that were refused. */
  readonly letters: DeadLetterBatch | undefined;
  /** When the first record of the batch was received, ms since 1970. */
  readonly firstReceivedMs: number;
  /** Uuids forgotten before their time since the start, because there were too many. */
  readonly uuidsForgotten: number;
  /** By project: a property that was dropped because the project has as many as it may. */
  readonly overLimit: ReadonlyMap<number, DroppedProperty>;
  /** Further names that were not taken because they were new: of each project and reason one. */
  readonly limited?: readonly LimitedName[];
  /** By project: see `NameRates`, after this batch. */
  readonly rates?: ReadonlyMap<number, NameRates>;
}

/** What preparing starts from: what the store has loaded. */
export interface PrepareStart {
  readonly loadedTo: SpoolPlace | undefined;
  /** Of all projects that are configured. */
  readonly projects: ReadonlyMap<number, ProjectStart>;
  /** Of events, and as many of users, in each project. Default: no limit. */
  readonly maxProperties?: number | undefined;
  /** Of each project. Default: no limits. */
  readonly names?: NameLimits | undefined;
}

export interface ProjectStart {
  readonly schema: ProjectSchema;
  /** An offset such as `+08:00`, or an IANA name. */
  readonly zone: string;
  readonly rates?: NameRates | undefined;
}
