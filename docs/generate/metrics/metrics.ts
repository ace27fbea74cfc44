import { block, code, pageHead, table } from "../markdown.ts";
import { alerts } from "./alerts.ts";
import { labelTexts } from "./labels.ts";
import { listMetrics, type RegisteredMetric } from "./registry.ts";

const introduction = `
\`GET /metrics\` has all metrics in the text format of Prometheus; \`metrics.auth\` says who may read them. Counters end in
\`_total\`, times are in seconds and sizes in bytes. A histogram has the series \`_bucket\` with the label \`le\`, \`_sum\` and
\`_count\`. Values of labels come from closed lists and the configuration, never from callers.

The expressions are ideas for alerts: adapt the figures, and let each hold for some minutes before it wakes a person.
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
  const ideas = metrics.flatMap(({ name }) => {
    const alert = alerts[name];
    return alert === undefined ? [] : [`${alert.meaning}\n\n${block("promql", alert.expression)}`];
  });
  return [
    `## ${title}\n`,
    ...(title === "Process" ? [`${processNote}\n`] : []),
    table(["Metric", "Type", "Labels", "Meaning"], rows),
    ...(ideas.length === 0 ? [] : [`### Alerts: ${title.toLowerCase()}\n`, ...ideas]),
  ].join("\n");
}

const processNote = "The usual metrics of a process on Node; some exist on Linux only.";
