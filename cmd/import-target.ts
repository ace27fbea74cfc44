import type { Readable, Writable } from "node:stream";
import type { ImportFormat } from "./import-files.ts";
import type { ImportSummary } from "./import-summary.ts";

export interface ImportOptions {
  /** Id of the project; may be left out when there is only one. */
  readonly project?: number;
  readonly format?: ImportFormat;
  /** YAML file that says how rows become records. */
  readonly mapping?: string;
  readonly map?: readonly string[];
  /** Only check. */
  readonly dryRun?: boolean;
  /** Exit with 1 when a record is refused. */
  readonly strict?: boolean;
  /** Sends to a running server, in the place of opening the data folder. */
  readonly url?: string;
  readonly keyFile?: string;
}

export interface ImportStreams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Takes NDJSON of records. */
export interface ImportTarget extends AsyncDisposable {
  /** Resolves when more may come; at the latest `finish` tells of a fault. */
  take(lines: Uint8Array): Promise<void>;
  /** Resolves when all are stored. */
  finish(): Promise<void>;
}

export interface TargetPorts {
  readonly projectId: number;
  readonly options: ImportOptions;
  readonly summary: ImportSummary;
  readonly streams: ImportStreams;
  readonly signal: AbortSignal;
}
