/** A query of a panel. */
export interface Query {
  /** PromQL with the variables of the dashboards. */
  readonly expression: string;
  /** Names each series by its labels: `{{method}}`. */
  readonly legend: string;
}

/** Conditions on labels: a value, or a pattern that begins with `~`. */
export type Selector = Readonly<Record<string, string>>;

/** The interval of Grafana that contains several scrapes. */
const window = "$__rate_interval";

/** Returns the selector of a metric of the chosen servers. */
export function series(metric: string, selector: Selector = {}): string {
  const own = Object.entries(selector).map(([label, value]) =>
    value.startsWith("~") ? `${label}=~"${value.slice(1)}"` : `${label}="${value}"`,
  );
  return `${metric}{${['job=~"$job"', 'instance=~"$instance"', ...own].join(",")}}`;
}

function by(labels: readonly string[]): string {
  return labels.length === 0 ? "" : ` by (${labels.join(", ")})`;
}

function legendOf(labels: readonly string[], otherwise: string): string {
  return labels.length === 0 ? otherwise : labels.map((label) => `{{${label}}}`).join(" ");
}

/** The increase of a counter in a second, over all chosen servers, by labels. */
export function rateOf(metric: string, { labels = [], selector, legend }: QueryOptions = {}): Query {
  return {
    expression: `sum${by(labels)} (rate(${series(metric, selector)}[${window}]))`,
    legend: legend ?? legendOf(labels, "all"),
  };
}

/** The value of a gauge, added up over all chosen servers, by labels. */
export function sumOf(metric: string, { labels = [], selector, legend }: QueryOptions = {}): Query {
  return {
    expression: `sum${by(labels)} (${series(metric, selector)})`,
    legend: legend ?? legendOf(labels, "all"),
  };
}

/** The highest value of a gauge of the chosen servers, by labels. */
export function maxOf(metric: string, { labels = [], selector, legend }: QueryOptions = {}): Query {
  return {
    expression: `max${by(labels)} (${series(metric, selector)})`,
    legend: legend ?? legendOf(labels, "maximum"),
  };
}

/** A quantile of a histogram over all chosen servers, by labels. */
export function quantileOf(
  quantile: number,
  metric: string,
  { labels = [], selector, legend }: QueryOptions = {},
): Query {
  const buckets = `sum${by([...labels, "le"])} (rate(${series(`${metric}_bucket`, selector)}[${window}]))`;
  return {
    expression: `histogram_quantile(${quantile}, ${buckets})`,
    legend: legend ?? legendOf(labels, `${quantile * 100} %`),
  };
}

interface QueryOptions {
  readonly labels?: readonly string[];
  readonly selector?: Selector;
  readonly legend?: string;
}
