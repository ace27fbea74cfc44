import { isBroken, type ProbeResult } from "../../services/channel/check/check.ts";

/** Formats the results as one JUnit test suite with a case for each probe. */
export function formatJunit(url: string, results: readonly ProbeResult[], strict: boolean): string {
  const broken = results.filter((result) => isBroken(result, strict)).length;
  const skipped = results.filter(({ outcome }) => outcome === "skipped").length;
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const counts = `tests="${results.length}" failures="${broken}" errors="0" skipped="${skipped}" time="${time}"`;
  const name = `engage check ${url}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escapeXml(name)}" ${counts}>`,
    ...results.flatMap((result) => formatCase(result, strict)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function formatCase(result: ProbeResult, strict: boolean): readonly string[] {
  const { id, title, severity, durationMs, outcome, detail } = result;
  const attributes = `classname="${severity}" name="${escapeXml(`${id}: ${title}`)}" time="${seconds(durationMs)}"`;
  const inner = innerOf(result, strict);
  if (outcome === "skipped") {
    return [`    <testcase ${attributes}><skipped message="${escapeXml(detail)}"/></testcase>`];
  }
  return inner === ""
    ? [`    <testcase ${attributes}/>`]
    : [`    <testcase ${attributes}>`, inner, "    </testcase>"];
}

function innerOf(result: ProbeResult, strict: boolean): string {
  const { failure, severity, detail } = result;
  if (failure === undefined) return "";
  const { sent, answered, rule, change } = failure;
  const text = escapeXml(`sent: ${sent}\n\nanswered: ${answered}\n\nspecified: ${rule}\n\nchange: ${change}`);
  return isBroken(result, strict)
    ? `      <failure type="${severity}" message="${escapeXml(detail)}">${text}</failure>`
    : `      <system-out>${escapeXml(detail)}\n\n${text}</system-out>`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes a text for XML 1.0. Characters that it cannot contain become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character]!);
}
