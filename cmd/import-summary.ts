import type { RecordCounts } from "../services/event/load/prepared.ts";
import type { RowFailure } from "./import-files.ts";

/** What became of the records of an import. */
export interface ImportSummary {
  /** Rows of tables that made no record. */
  failed(failures: readonly RowFailure[]): void;
  stored(counts: RecordCounts): void;
  accepted(records: number): void;
  refused(reason: string, records: number): void;
  /** Records refused, and rows that made none. */
  failures(): number;
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
  const sum = (of: Map<string, number>): number => [...of.values()].reduce((all, one) => all + one, 0);
  return {
    failed(failures) {
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
    refused: (reason, records) => add(refused, reason, records),
    failures: () => sum(refused),
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

function linesOf(title: string, counts: ReadonlyMap<string, number>): string[] {
  if (counts.size === 0) return [];
  const byCount = [...counts].sort(([, a], [, b]) => b - a);
  return [`${title}:`, ...byCount.map(([name, count]) => `  ${name}: ${count.toLocaleString("en")}`)];
}
