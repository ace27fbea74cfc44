import { countOf } from "../../base/text/count.ts";
import type { ParsedLines } from "../../services/parser/file/file.ts";
import type { FailureReason } from "../../services/parser/line/line.ts";

export interface ParseSummary {
  add(file: string, parsed: ParsedLines): void;
  /** Returns the number of lines without a record. */
  failures(): number;
  /** Returns the counts, with the number and the first place of each reason. */
  text(): string;
  /** Returns the same counts for JSON. */
  counts(): Readonly<Record<string, unknown>>;
}

interface ReasonCount {
  count: number;
  readonly examples: string[];
}

/** Creates a summary. @param maxExamples the number of bad lines that are shown for each reason */
export function createSummary(maxExamples = 1): ParseSummary {
  let lines = 0;
  let records = 0;
  let failures = 0;
  const reasons = new Map<FailureReason, ReasonCount>();
  return {
    failures: () => failures,
    add(file, parsed) {
      lines += parsed.lines;
      records += parsed.records.length;
      failures += parsed.failures.length;
      for (const { lineNumber, failure } of parsed.failures) {
        const known = reasons.get(failure.reason);
        const examples = known?.examples ?? [];
        if (examples.length < maxExamples) examples.push(`${file}:${lineNumber}: ${failure.message}`);
        reasons.set(failure.reason, { count: (known?.count ?? 0) + 1, examples });
      }
    },
    counts: () => ({ lines, records, failures, reasons: Object.fromEntries(reasons) }),
    text() {
      const counts = [
        countOf(lines, "line"),
        countOf(records, "record"),
        `${countOf(failures, "line")} without a record`,
      ];
      const byCount = [...reasons].sort(([, a], [, b]) => b.count - a.count);
      const details = byCount.map(
        ([reason, { count, examples }]) => `  ${reason}: ${count}${describe(examples)}\n`,
      );
      return `${counts.join(", ")}\n${details.join("")}`;
    },
  };
}

function describe([first, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  return [`, first at ${first}`, ...others.map((other) => `    then at ${other}`)].join("\n");
}
