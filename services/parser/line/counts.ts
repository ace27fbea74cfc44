import type { ParserObserver } from "../observer.ts";
import type { FailureReason } from "./line.ts";

/** Counts of one batch; plain data, so that a worker can send it. */
export interface BatchCounts {
  readonly items: number;
  readonly records: number;
  readonly collisions: number;
  readonly deadLettersDropped: number;
  readonly itemsByFormat: ReadonlyMap<string, number>;
  readonly failedByReason: ReadonlyMap<FailureReason, number>;
}

export function reportCounts(counts: BatchCounts, observer: ParserObserver): void {
  for (const [format, count] of counts.itemsByFormat) observer.items(format, count);
  for (const [reason, count] of counts.failedByReason) observer.failed(reason, count);
  if (counts.records > 0) observer.records(counts.records);
  if (counts.collisions > 0) observer.collisions(counts.collisions);
  if (counts.deadLettersDropped > 0) observer.deadLettersDropped(counts.deadLettersDropped);
}

/** Counts lines while they are parsed; `format` is undefined for lines without a format. */
export interface BatchCounter {
  parsed(format: string | undefined, records: number): void;
  refused(format: string | undefined, reason: FailureReason): void;
  /** Corrects the counts for an item that was counted as parsed, but cannot be written. */
  revoked(records: number, reason: FailureReason): void;
  counts(rest: { readonly collisions: number; readonly deadLettersDropped: number }): BatchCounts;
}

const none: ReadonlyMap<FailureReason, number> = new Map();

export function createBatchCounter(): BatchCounter {
  const itemsByFormat = new Map<string, number>();
  let failedByReason: Map<FailureReason, number> | undefined;
  let items = 0;
  let records = 0;
  // Lines of one format mostly follow each other: counting a run costs less than a map entry for each line.
  let run: string | undefined;
  let runLength = 0;

  function countItem(format: string | undefined): void {
    items++;
    if (format !== run) {
      endRun();
      run = format;
    }
    runLength++;
  }
  function countFailure(reason: FailureReason): void {
    failedByReason ??= new Map();
    failedByReason.set(reason, (failedByReason.get(reason) ?? 0) + 1);
  }
  function endRun(): void {
    if (run !== undefined) itemsByFormat.set(run, (itemsByFormat.get(run) ?? 0) + runLength);
    runLength = 0;
  }
  return {
    parsed(format, found) {
      countItem(format);
      records += found;
    },
    refused(format, reason) {
      countItem(format);
      countFailure(reason);
    },
    revoked(found, reason) {
      records -= found;
      countFailure(reason);
    },
    counts(rest) {
      endRun();
      return { items, records, itemsByFormat, failedByReason: failedByReason ?? none, ...rest };
    },
  };
}
