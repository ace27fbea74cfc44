import { alertGroups } from "../../../deploy/generate/alerts/alerts.ts";
import { alertLink } from "../alerts/alerts.ts";
import { code, pageHead, table } from "../markdown.ts";
import { labelTexts } from "./labels.ts";
import { listMetrics, type RegisteredMetric } from "./registry.ts";

const introduction = `
\`GET /metrics\` has all metrics in the text format of Prometheus; \`metrics.auth\` says who may read them. Counters end in
\`_total\`, times are in seconds and sizes in bytes. A histogram has the series \`_bucket\` with the label \`le\`, \`_sum\` and
\`_count\`. Values of labels come from closed lists and the configuration, never from callers.

[Alerts](alerts.md) watch them, and [dashboards](../monitoring.md) of Grafana show all of them.
`;

/** The subjects of metrics by the beginnings of their names. */
const subjects: readonly (readonly [title: string, prefix: string])[] = [
  ["Parser", "engage_parser_"],
  ["Events", "engage_events_"],
  ["Queries", "engage_analysis_"],
  ["Webhooks", "engage_webhook_"],
  ["Pushes", "engage_channel_"],
  ["Calls and stores", "engage_"],
  ["Process", ""],
];

/** Writes the reference of metrics. */
export function writeMetrics(): string {
  const left = new Set(listMetrics());
  const parts = subjects.map(([title, prefix]) => {
    const own = [...left].filter(({ name }) => name.startsWith(prefix));
    for (const metric of own) left.delete(metric);
    return formatSubject(title, own);
  });
  const labels = Object.entries(labelTexts).map(([label, text]) => [code(label), text]);
  return [
    pageHead("Metrics", introduction),
    "## Labels\n",
    table(["Label", "Meaning"], labels),
    ...parts,
  ].join("\n");
}

function formatSubject(title: string, metrics: readonly RegisteredMetric[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(", "),
    `${help}.`,
  ]);
  const alerts = alertGroups.find((group) => group.title === title)?.alerts ?? [];
  const links = alerts.map(({ name }) => alertLink(name, "alerts.md"));
  return [
    `## ${title}\n`,
    ...(title === "Process" ? [`${processNote}\n`] : []),
    table(["Metric", "Type", "Labels", "Meaning"], rows),
    ...(links.length === 0 ? [] : [`Alerts: ${links.join(", ")}.\n`]),
  ].join("\n");
}

const processNote = "The usual metrics of a process on Node; some exist on Linux only.";
