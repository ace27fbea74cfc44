import type { Readable, Writable } from "node:stream";
import type { ImportFormat } from "./files.ts";
import type { ImportSummary } from "./summary.ts";

export interface ImportOptions {
  /** Id of the project. Default: the only one. */
  readonly project?: number;
  readonly format?: ImportFormat;
  /** YAML file that maps rows to records. */
  readonly mapping?: string;
  readonly map?: readonly string[];
  /** Only check. */
  readonly dryRun?: boolean;
  /** File for refused records. */
  readonly rejects?: string;
  /** Refused records that the summary shows for each reason. */
  readonly examples?: number;
  /** Imports files again that were imported before. */
  readonly again?: boolean;
  /** Exit with 1 when a record is refused. */
  readonly strict?: boolean;
  /** Sends to a running server instead of opening the data folder. */
  readonly url?: string;
  readonly keyFile?: string;
  /** Lines of NDJSON, or rows of a table, of the first file that are left out. */
  readonly skip?: number;
}

export interface ImportStreams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Where a line of a block stands, such as `a.ndjson:12`; lines are counted from 1, with the empty ones. */
export type PlaceOf = (line: number) => string;

/** Takes NDJSON of records. */
export interface ImportTarget extends AsyncDisposable {
  /**
   * Resolves when more may come, or the signal was aborted; at the latest `finish` tells of a fault.
   * @param kept called once the records are on disk, or refused, in the order of the calls
   * @param placeOf given when refused records have to be found again
   */
  take(lines: Uint8Array, kept: () => void, placeOf?: PlaceOf): Promise<void>;
  /** Resolves when all that were taken are stored, whatever the signal says. */
  finish(): Promise<void>;
  /** What Ctrl-C leaves to be waited for, and what a second one does to it. */
  readonly whileStopping: string;
}

export interface TargetPorts {
  readonly projectId: number;
  readonly options: ImportOptions;
  readonly summary: ImportSummary;
  readonly streams: ImportStreams;
  readonly signal: AbortSignal;
}
