import type { EventName, Property } from "./schema.ts";

/**
 * Reads everything that a store holds, as it is stored, to copy it into another store. Numbers of events, properties
 * and users stay the same.
 */
export interface ContentsReader {
  /** Lists the parts of each project. */
  contents(): Promise<readonly ProjectContents[]>;
  /**
   * Reads the rows of a part as lines of JSON, in chunks. All of them are of one moment.
   * @throws PartChangedError when the part is not as it was listed
   */
  readPart(part: StoredPart, signal: AbortSignal): AsyncIterable<readonly string[]>;
}

export interface ProjectContents {
  readonly projectId: number;
  readonly events: readonly EventName[];
  readonly properties: readonly Property[];
  /** In the order in which they are to be copied. */
  readonly parts: readonly StoredPart[];
}

/**
 * Rows of one kind. Lines of a day are of PreparedEvent, of updatable events of PreparedUpdate, of users of
 * StoredUserLine, of visitors of StoredVisitorLine, and of a cohort of StoredMemberLine.
 */
export interface StoredPart {
  readonly projectId: number;
  readonly kind: "day" | "updatable" | "visitors" | "users" | "cohort";
  /** Unique within the project. */
  readonly name: string;
  /** Another one when the rows may have changed. */
  readonly stamp: string;
  readonly rows: number;
  /** The UTC day of events, counted from 1970-01-01. */
  readonly day?: number;
  /** The numbers of the properties which rows of a day may have. */
  readonly properties?: readonly number[];
  readonly cohort?: PartCohort;
}

export interface PartCohort {
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  readonly kind: "cohort" | "tag";
}

/** Values by property number, as in PreparedUser. */
export interface StoredUserLine {
  readonly u: number;
  readonly a?: string;
  readonly d?: string;
  readonly p?: Readonly<Record<string, unknown>>;
}

export interface StoredVisitorLine {
  readonly d: string;
  readonly u: number;
}

export interface StoredMemberLine {
  readonly u: number;
  readonly v?: string;
}

/** The rows of a part have changed since it was listed. */
export class PartChangedError extends Error {
  override readonly name = "PartChangedError";
}
