import { type ProbeResult, sumResults } from "../../services/channel/check/check.ts";
import { type Column, formatTable, printable } from "../terminal/table.ts";

const failedLabels = { must: "FAILED", should: "should", info: "note" } as const;

function labelOf({ outcome, severity }: ProbeResult): string {
  if (outcome === "failed") return failedLabels[severity];
  return outcome === "passed" ? "ok" : "skipped";
}

const columns: readonly Column<ProbeResult>[] = [
  { head: "RESULT", of: labelOf },
  { head: "PROBE", of: ({ id }) => id },
  { head: "A RECEIVER", of: ({ title }) => title },
  { head: "FOUND", of: ({ detail }) => detail },
];

/** Formats a table of all probes, the details of each failed probe, and the totals. */
export function formatReport(results: readonly ProbeResult[]): string {
  return [formatTable(columns, results), ...results.flatMap(formatFailure), formatSums(results)].join("\n");
}

function formatFailure(result: ProbeResult): readonly string[] {
  const { id, title, detail, failure } = result;
  if (failure === undefined) return [];
  const parts: readonly (readonly [head: string, text: string])[] = [
    ["found", detail],
    ["sent", failure.sent],
    ["answered", failure.answered],
    ["specified", failure.rule],
    ["change", failure.change],
  ];
  const lines = parts.flatMap(([head, text]) =>
    text.split("\n").map((line, at) => `  ${(at === 0 ? head : "").padEnd(9)}  ${printable(line, 600)}`),
  );
  return [`${labelOf(result)} ${id}: ${title}\n${lines.join("\n")}\n`];
}

function formatSums(results: readonly ProbeResult[]): string {
  const { passed, failed, recommendations, notes, skipped } = sumResults(results);
  const sums = [
    `${passed} passed`,
    `${failed} failed`,
    `${recommendations} recommendations`,
    `${notes} notes`,
    `${skipped} skipped`,
  ];
  return `${sums.join(", ")}\n`;
}
