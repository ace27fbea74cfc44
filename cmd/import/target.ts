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
  /** Only checks the records. */
  readonly dryRun?: boolean;
  /** File for refused records. */
  readonly rejects?: string;
  /** The number of refused records that the summary shows for each reason. */
  readonly examples?: number;
  /** Imports files again that were imported before. */
  readonly again?: boolean;
  /** Prints the summary as JSON on standard output. */
  readonly json?: boolean;
  /** Exits with 1 if a record is refused. */
  readonly strict?: boolean;
  /** Each sends to a running server instead of opening the data folder. */
  readonly url?: string;
  readonly profile?: string;
  readonly keyFile?: string;
  /** The number of lines of NDJSON, or rows of a table, to skip in the first file. */
  readonly skip?: number;
}

/** Whether records are sent to a running server. */
export function isRemote({ url, profile }: ImportOptions): boolean {
  return url !== undefined || profile !== undefined;
}

export interface ImportStreams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Returns the place of a line of a block, such as `a.ndjson:12`. Lines are counted from 1, including empty ones. */
export type PlaceOf = (line: number) => string;

/** Stores records, which it gets as NDJSON. */
export interface ImportTarget extends AsyncDisposable {
  /**
   * Resolves when it can take more, or the signal was aborted. Faults are thrown by `finish` at the latest.
   * @param onStored called once the records are on disk, or refused, in the order of the calls
   * @param placeOf given if refused records have to be found again
   */
  take(lines: Uint8Array, onStored: () => void, placeOf?: PlaceOf): Promise<void>;
  /** Resolves when all taken records are stored, even if the signal is aborted. */
  finish(): Promise<void>;
  /** Describes what is waited for after Ctrl-C, and what a second Ctrl-C does. */
  readonly whileStopping: string;
}

export interface TargetPorts {
  readonly projectId: number;
  readonly options: ImportOptions;
  readonly summary: ImportSummary;
  readonly streams: ImportStreams;
  readonly signal: AbortSignal;
}
