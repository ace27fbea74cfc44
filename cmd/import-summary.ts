import type { RecordCounts } from "../services/event/load/prepared.ts";
import type { LetterBatch } from "../store/deadletters/deadletters.ts";
import type { RowFailure } from "./import-files.ts";

const LF = 0x0a;

/** What became of the records of an import. */
export interface ImportSummary {
  /** Rows of tables that made no record. */
  failed(failures: readonly RowFailure[]): void;
  stored(counts: RecordCounts): void;
  /** Of records that `stored` counts. */
  letters(batch: LetterBatch): void;
  accepted(records: number): void;
  refused(reason: string, message: string): void;
  /** Records refused, and rows that made none. */
  failures(): number;
  /** Why the first was refused, where that has become of all. */
  allRefused(): string | undefined;
  text(seconds: number): string;
}

export function createImportSummary(verb: "stored" | "accepted" | "valid"): ImportSummary {
  let accepted = 0;
  const refused = new Map<string, number>();
  const duplicates = new Map<string, number>();
  const dropped = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, count: number): void => {
    if (count > 0) to.set(key, (to.get(key) ?? 0) + count);
  };
  let first: RowFailure | undefined;
  const sum = (of: Map<string, number>): number => [...of.values()].reduce((all, one) => all + one, 0);
  return {
    failed(failures) {
      first ??= failures[0];
      for (const { reason } of failures) add(refused, reason, 1);
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
    letters({ ndjson }) {
      first ??= readLetter(ndjson);
    },
    refused(reason, message) {
      first ??= { reason, message };
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
        `${accepted.toLocaleString("en")} records ${verb} in ${seconds.toFixed(1)} s, ${perSecond} a second`,
        ...linesOf("records refused", refused),
        ...linesOf("records that were there before", duplicates),
        ...linesOf("properties dropped", dropped),
      ];
      return `${lines.join("\n")}\n`;
    },
  };
}

/** The first of a batch. */
function readLetter(ndjson: Uint8Array): RowFailure {
  const line = ndjson.subarray(0, ndjson.indexOf(LF));
  const { reason, message } = JSON.parse(Buffer.from(line).toString("utf8")) as RowFailure;
  // The spool is the import's own; what was wrong is the line of the file.
  return { reason, message: reason === "bad_line" ? "it is no JSON" : message };
}

function linesOf(title: string, counts: ReadonlyMap<string, number>): string[] {
  if (counts.size === 0) return [];
  const byCount = [...counts].sort(([, a], [, b]) => b - a);
  return [`${title}:`, ...byCount.map(([name, count]) => `  ${name}: ${count.toLocaleString("en")}`)];
}
