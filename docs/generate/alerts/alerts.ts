import type { Alert } from "../../../deploy/generate/alerts/alert.ts";
import { alertGroups } from "../../../deploy/generate/alerts/alerts.ts";
import { block, pageHead } from "../markdown.ts";

const introduction = `
What each alert of \`deploy/alerts.yaml\` means and what to do then. [Monitoring](../monitoring.md) says how to use the
file. **critical**: data or calls are lost now. **warning**: some are, or will be if nothing is done. The figures are to
be adapted to a deployment.
`;

/** Writes the runbook. */
export function writeAlerts(): string {
  const parts = alertGroups.map(({ title, alerts }) =>
    [`## ${title}\n`, ...alerts.map(formatAlert)].join("\n"),
  );
  return [pageHead("Alerts", introduction), ...parts].join("\n");
}

function formatAlert({ name, severity, lasts, expression, meaning, actions }: Alert): string {
  const since = lasts === "0m" ? "at once" : `after ${lasts}`;
  return [
    `### ${name}\n`,
    `${meaning} **${severity}**, ${since}.\n`,
    `${linkAlerts(actions)}\n`,
    block("promql", expression),
  ].join("\n");
}

function linkAlerts(text: string): string {
  return text.replace(/\bEngage[A-Z]\w+/g, (name) => alertLink(name, ""));
}

/** @param page the page with the alert; empty for the page itself */
export function alertLink(name: string, page: string): string {
  return `[${name}](${page}#${name.toLowerCase()})`;
}
