/**
 * Values of a series, one a minute in the notation of promtool: those with which an alert fires, and those with which
 * it does not.
 */
export type Values = readonly [firing: string, quiet: string];

export interface AlertCase {
  readonly name: string;
  readonly series: Readonly<Record<string, Values>>;
  /** Labels of the alert besides `severity` and `job`. */
  readonly labels: Readonly<Record<string, string>>;
}

type Labels = Readonly<Record<string, string>>;

/** All servers of the cases have one job and one instance. */
export const instance = { instance: "a" };

export function seriesOf(metric: string, labels: Labels = {}): string {
  const all = { job: "engage", ...instance, ...labels };
  return `${metric}{${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",")}}`;
}

/** Keeps growing, or stands still. */
export const grows: Values = ["0+1x60", "1x60"];
/** Grows once, ten minutes before the end. */
export const grewOnce: Values = ["0x49 1x10", "1x60"];
export const loop = (quantile: string, values: Values) =>
  ({ [seriesOf("engage_event_loop_delay_seconds", { quantile })]: values }) as const;

export function counted(
  name: string,
  metric: string,
  labels: Labels,
  kept: Labels,
  values: Values,
): AlertCase {
  return { name, series: { [seriesOf(metric, labels)]: values }, labels: kept };
}

export function measured(
  name: string,
  metric: string,
  firing: number,
  quiet: number,
  labels: Labels = {},
): AlertCase {
  return {
    name,
    series: { [seriesOf(metric, labels)]: [`${firing}x60`, `${quiet}x60`] },
    labels: { ...instance, ...labels },
  };
}

/** A histogram whose values are all within the bucket above the limit, or within that below it. */
export function slow(
  name: string,
  metric: string,
  [limit, above]: readonly [number, number],
  labels: Labels = {},
): AlertCase {
  const bucket = (le: string, values: Values) =>
    [seriesOf(`${metric}_bucket`, { ...labels, le }), values] as const;
  const all = "0+100x60";
  return {
    name,
    series: Object.fromEntries([
      bucket(`${limit}`, ["0x60", all]),
      bucket(`${above}`, [all, all]),
      bucket("+Inf", [all, all]),
    ]),
    labels,
  };
}
