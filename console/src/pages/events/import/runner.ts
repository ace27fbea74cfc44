import { Code } from "@connectrpc/connect";
import { sha256 } from "@noble/hashes/sha2.js";
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { EventCollector } from "../../../../../gen/engage/event/v1/event_collector_pb.ts";
import type { RecordResult } from "../../../../../gen/engage/event/v1/record_pb.ts";
import { type Fault, faultOf } from "../../../rpc/fault.ts";
import { pause } from "../../../rpc/pause.ts";
import { clientOf } from "../../../rpc/transport.ts";
import { t } from "../../../texts/texts.ts";
import { identityOf } from "./identity.ts";
import type { Mapping } from "./mapping.ts";
import type { RowFault } from "./record.ts";
import { nothingYet, type Progress, sendRows } from "./send-rows.ts";
import { readRows, TableError } from "./table-file.ts";

const client = clientOf(EventCollector);

export interface RunOptions {
  readonly file: File;
  readonly mapping: Mapping;
  readonly projectId: bigint;
  /** Checks the first rows, and stores nothing. */
  readonly isDryRun: boolean;
}

/** A check or an import that runs, or has ended. */
export interface Run extends Pick<RunOptions, "file" | "isDryRun" | "mapping"> {
  readonly progress: ReadonlySignal<Progress>;
  /** The part of the file that was read, from 0 to 1. */
  readonly share: ReadonlySignal<number>;
  readonly isRunning: ReadonlySignal<boolean>;
  readonly isCancelled: ReadonlySignal<boolean>;
  /** What the server or the browser says, or what is wrong with the file, in words. */
  readonly fault: ReadonlySignal<Fault | string | undefined>;
  cancel(): void;
}

const maxCheckedRows = 1_000;

export function createRunner({ file, mapping, projectId, isDryRun }: RunOptions): Run {
  const end = new AbortController();
  const progress = signal(nothingYet);
  const share = signal(0);
  const isRunning = signal(true);
  const isCancelled = signal(false);
  const fault = signal<Fault | string | undefined>(undefined);
  const rowsToSend = {
    mapping,
    faultText: (name: RowFault, value: string) => t(`import.${name}`, { value }),
    send: (lines: readonly string[]) => sendLines(lines, projectId, isDryRun, end.signal),
  };
  async function run(): Promise<void> {
    const identity = isDryRun ? "table" : await identify(file, end.signal, share);
    await readRows(file, {
      signal: end.signal,
      async take(rows, readShare) {
        progress.value = await sendRows(progress.peek(), rows, { ...rowsToSend, identity });
        share.value = identifyShare + readShare * (1 - identifyShare);
        if (isDryRun && progress.peek().rows >= maxCheckedRows) end.abort();
      },
    });
  }
  void run()
    .catch((error) => {
      if (end.signal.aborted) return;
      fault.value = error instanceof TableError ? t(`import.file.${error.fault}`) : faultOf(error);
    })
    .finally(() => {
      isRunning.value = false;
    });
  return {
    file,
    mapping,
    isDryRun,
    progress,
    share,
    isRunning,
    isCancelled,
    fault,
    cancel() {
      isCancelled.value = isRunning.peek();
      end.abort();
    },
  };
}

/** The part of an import in which the file is read for the first time. */
const identifyShare = 0.1;

function identify(file: File, end: AbortSignal, share: Signal<number>): Promise<string> {
  const progress = (readShare: number): void => {
    share.value = readShare * identifyShare;
  };
  return identityOf(file, sha256.create(), { signal: end, progress });
}

/** Failures after which the same batch is sent again: rows with the same `#uuid` are counted once. */
const passing: ReadonlySet<Code> = new Set([Code.Unavailable, Code.ResourceExhausted, Code.DeadlineExceeded]);
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000];

async function sendLines(
  lines: readonly string[],
  projectId: bigint,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<readonly RecordResult[]> {
  const jsonLines = new TextEncoder().encode(lines.join("\n"));
  const project = { case: "projectId", value: projectId } as const;
  for (let failures = 0; ; failures++) {
    try {
      return (await client.track({ project, jsonLines, dryRun }, { signal })).results;
    } catch (error) {
      const pauseMs = pausesMs[failures];
      if (pauseMs === undefined || signal.aborted || !passing.has(faultOf(error).code)) throw error;
      await pause(pauseMs, signal);
    }
  }
}
