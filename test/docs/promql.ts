import { listMetrics } from "../../docs/generate/metrics/registry.ts";

/** Labels that Prometheus adds to every series. */
const added = ["job", "instance"];

/** The labels of each series of a server, by its name. */
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ["up", added],
  ...listMetrics().flatMap(({ name, type, labels }) => {
    const own = [...labels, ...added];
    const parts = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    return parts.map((part) => [`${name}${part}`, part === "_bucket" ? [...own, "le"] : own] as const);
  }),
]);

const selectors = /\b((?:engage|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g;

/** Returns the names of the series in an expression. */
export function seriesIn(expression: string): readonly string[] {
  return [...expression.matchAll(selectors)].map(([, name]) => name!);
}

/** Returns the name of the metric to which a series belongs. */
export function metricOf(series: string): string {
  return series.replace(/_(?:bucket|sum|count)$/, "");
}

/** Returns the names and labels in an expression that no series of a server has. */
export function unknownIn(expression: string): readonly string[] {
  const found: string[] = [];
  for (const [, name = "", selector = ""] of expression.matchAll(selectors)) {
    if (!known.has(name)) found.push(name);
    for (const [, label = ""] of selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)) {
      if (!known.get(name)?.includes(label)) found.push(`${name}{${label}}`);
    }
  }
  for (const { 1: list = "", index } of expression.matchAll(/(?:by|on) \(([^)]*)\)/g)) {
    const [name = ""] = [...seriesIn(expression.slice(index)), ...seriesIn(expression)];
    const labels = list.split(", ").filter((label) => !known.get(name)?.includes(label));
    found.push(...labels.map((label) => `${name} by ${label}`));
  }
  return found;
}
