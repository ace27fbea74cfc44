import { countOf } from "../../base/text/count.ts";
import type { DeadLetterBatch } from "../../store/deadletters/deadletters.ts";
import type { RowFailure } from "./files.ts";
import { type RefusedRecord, readDeadLetters } from "./refused.ts";

/** The results of storing records. */
export interface StoredCounts {
  readonly events: number;
  readonly updates: number;
  readonly users: number;
  /** Counts by reason. */
  readonly duplicates: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly dropped: Readonly<Record<string, number>>;
}

/** Counts the results of an import. */
export interface ImportSummary {
  /** Counts rows that made no record. */
  failed(failures: readonly RowFailure[], placeOf?: (row: number) => string): void;
  stored(counts: StoredCounts): void;
  /** Adds the refused records that `stored` counts. */
  deadLetters(batch: DeadLetterBatch): void;
  accepted(records: number): void;
  /** Adds a refused record. @param of the place and data of the record, if they are needed */
  refused(reason: string, message: string, of?: Pick<RefusedRecord, "place" | "data">): void;
  /** Returns the number of refused records and of rows that made none. */
  failures(): number;
  /** Returns why the first record was refused, if all were; otherwise undefined. */
  allRefused(): string | undefined;
  text(seconds: number): string;
  /** Returns the same counts for JSON. */
  counts(seconds: number): Readonly<Record<string, unknown>>;
}

export interface SummaryOptions {
  /** Refused records to show for each reason. Default: none. */
  readonly examples?: number | undefined;
  /** Gets each refused record. */
  readonly keep?: ((refused: RefusedRecord) => void) | undefined;
}

export function createImportSummary(
  verb: "stored" | "accepted" | "valid",
  { examples = 0, keep }: SummaryOptions = {},
): ImportSummary {
  let accepted = 0;
  const refused = new Map<string, number>();
  const duplicates = new Map<string, number>();
  const dropped = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, count: number): void => {
    if (count > 0) to.set(key, (to.get(key) ?? 0) + count);
  };
  let first: Pick<RefusedRecord, "reason" | "message"> | undefined;
  const shown = new Map<string, string[]>();
  const note = (one: RefusedRecord): void => {
    first ??= one;
    keep?.(one);
    const known = shown.get(one.reason) ?? [];
    if (known.length >= examples) return;
    known.push(one.place === undefined ? one.message : `${one.place}: ${one.message}`);
    shown.set(one.reason, known);
  };
  const needsAll = examples > 0 || keep !== undefined;
  const sum = (of: Map<string, number>): number => [...of.values()].reduce((all, one) => all + one, 0);
  return {
    failed(failures, placeOf) {
      for (const { row, reason, message, data } of failures) {
        note({ reason, message, data, place: placeOf?.(row) });
        add(refused, reason, 1);
      }
    },
    stored(counts) {
      accepted += counts.events + counts.updates + counts.users;
      for (const [reason, count] of Object.entries(counts.refused)) add(refused, reason, count);
      for (const [kind, count] of Object.entries(counts.duplicates)) add(duplicates, kind, count);
      for (const [reason, count] of Object.entries(counts.dropped)) add(dropped, reason, count);
    },
    accepted(records) {
      accepted += records;
    },
    deadLetters(batch) {
      for (const refused of readDeadLetters(batch)) {
        note(refused);
        if (!needsAll) return;
      }
    },
    refused(reason, message, of) {
      note({ reason, message, place: of?.place, data: of?.data ?? "" });
      add(refused, reason, 1);
    },
    failures: () => sum(refused),
    allRefused() {
      if (first === undefined || accepted > 0 || duplicates.size > 0) return undefined;
      return `${first.reason}: ${first.message}`;
    },
    text(seconds) {
      const perSecond = Math.round(accepted / Math.max(seconds, 0.001)).toLocaleString("en");
      const lines = [
        `${countOf(accepted, "record")} ${verb} in ${seconds.toFixed(1)} s, ${perSecond} a second`,
        ...linesOf("records refused", refused, shown),
        ...linesOf("records that were there before", duplicates),
        ...linesOf("properties dropped", dropped),
      ];
      return `${lines.join("\n")}\n`;
    },
    counts(seconds) {
      const [refusals, known, lost] = [refused, duplicates, dropped].map((of) => Object.fromEntries(of));
      const examplesOf = examples > 0 && { examples: Object.fromEntries(shown) };
      const times = { verb, records: accepted, seconds: Number(seconds.toFixed(3)) };
      return { ...times, refused: refusals, duplicates: known, dropped: lost, ...examplesOf };
    },
  };
}

function linesOf(
  title: string,
  counts: ReadonlyMap<string, number>,
  examples?: ReadonlyMap<string, readonly string[]>,
): string[] {
  if (counts.size === 0) return [];
  const byCount = [...counts].sort(([, a], [, b]) => b - a);
  return [
    `${title}:`,
    ...byCount.flatMap(([name, count]) => [
      `  ${name}: ${count.toLocaleString("en")}`,
      ...(examples?.get(name) ?? []).map((example) => `    ${example}`),
    ]),
  ];
}
