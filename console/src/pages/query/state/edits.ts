import type { JsonTree } from "../../../controls/json-tree.ts";
import { openFilters, pathOf, withText } from "../../../filters/edits.ts";
import {
  elementsAt,
  listTree,
  numberTree,
  objectTree,
  type Place,
  textAt,
  textTree,
  valueAt,
  withValue,
} from "../../../filters/tree.ts";
import { isoDayOf } from "../../../texts/iso-day.ts";
import { quotaTypesOf } from "./aggregations.ts";

/** The first and the last day with an event, as `yyyy-MM-dd`. */
export interface EventDays {
  readonly firstDay: string;
  readonly lastDay: string;
}

/**
 * The query that a page begins with: the number of an event on each day of the last week or, if it has happened before
 * that only, of its last 30 days.
 * @param today `yyyy-MM-dd`
 */
export function firstQuery(projectId: bigint, event: string, today: string, days?: EventDays): JsonTree {
  return objectTree([
    ["projectId", numberTree(String(projectId))],
    ["eventView", objectTree([...firstRange(today, days), ["timeParticleSize", textTree("day")]])],
    ["events", listTree([plainMetric(event)])],
  ]);
}

/** Steps by the number of days from which on they make a readable chart. */
const steps = [
  [732, "month"],
  [93, "week"],
  [0, "day"],
] as const;

/** The query of a link to an event's chart: the number of the event in all the days that have it. */
export function eventQuery(projectId: bigint, event: string, { firstDay, lastDay }: EventDays): JsonTree {
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000 + 1;
  const [, step] = steps.find(([from]) => days >= from) ?? steps[2];
  const view = objectTree([...rangeTexts(firstDay, lastDay), ["timeParticleSize", textTree(step)]]);
  return objectTree([
    ["projectId", numberTree(String(projectId))],
    ["eventView", view],
    ["events", listTree([plainMetric(event)])],
  ]);
}

function firstRange(today: string, days: EventDays | undefined): [string, JsonTree][] {
  if (days === undefined || days.lastDay >= daysBefore(today, 6)) return [["recentDay", textTree("0-7")]];
  const { firstDay, lastDay } = days;
  const [, from] = [firstDay, daysBefore(lastDay, 29)].sort();
  return rangeTexts(from!, lastDay);
}

function rangeTexts(firstDay: string, lastDay: string): [string, JsonTree][] {
  return [
    ["startTime", textTree(`${firstDay} 00:00:00`)],
    ["endTime", textTree(`${lastDay} 23:59:59`)],
  ];
}

function daysBefore(day: string, count: number): string {
  return isoDayOf(Date.parse(day) - count * 86_400_000);
}

export function plainMetric(event: string): JsonTree {
  return objectTree([
    ["type", textTree("normal")],
    ["eventName", textTree(event)],
    ["analysis", textTree("TOTAL_TIMES")],
  ]);
}

export function formulaMetric(name: string, formula: string): JsonTree {
  return objectTree([
    ["type", textTree("customized")],
    ["eventName", textTree(name)],
    ["customEvent", textTree(formula)],
  ]);
}

export function emptyGroup(): JsonTree {
  return objectTree([
    ["columnName", textTree("")],
    ["tableType", textTree("event")],
  ]);
}

/** Changes the aggregation of a metric; a property that it does not take goes. */
export function withAggregation(tree: JsonTree, metric: Place, word: string): JsonTree {
  const changed = withText(tree, [...metric, "analysis"], word);
  const named = quotaTypesOf(word) === undefined ? withText(changed, [...metric, "quota"], "") : changed;
  const percentile = textAt(tree, [...metric, "analysisParams"]);
  return withText(named, [...metric, "analysisParams"], word === "PERCENTILE" ? percentile || "90" : "");
}

export type MetricKind = "event" | "formula" | "named";

/** A formula or an aggregation takes precedence over a name, as it does for the server. */
export function metricKindOf(tree: JsonTree, metric: Place): MetricKind {
  const has = (name: string): boolean => textAt(tree, [...metric, name]) !== "";
  const isFormula = textAt(tree, [...metric, "type"]) === "customized";
  const saysMore = has(isFormula ? "customEvent" : "analysis");
  if (!saysMore && valueAt(tree, [...metric, "metricName"]) !== undefined) return "named";
  return isFormula ? "formula" : "event";
}

/** Changes the kind of a metric. What only the former kind has goes; conditions and names stay. */
export function withMetricKind(tree: JsonTree, metric: Place, kind: MetricKind): JsonTree {
  const own: Readonly<Record<MetricKind, readonly (readonly [name: string, text: string | undefined])[]>> = {
    event: [
      ["type", "normal"],
      ["analysis", "TOTAL_TIMES"],
      ["customEvent", undefined],
      ["metricName", undefined],
    ],
    formula: [
      ["type", "customized"],
      ["customEvent", ""],
      ["analysis", undefined],
      ["quota", undefined],
      ["metricName", undefined],
    ],
    named: [
      ["type", "normal"],
      ["metricName", ""],
      ["analysis", undefined],
      ["quota", undefined],
      ["customEvent", undefined],
    ],
  };
  return own[kind].reduce(
    (changed, [name, text]) =>
      withValue(changed, [...metric, name], text === undefined ? undefined : textTree(text))!,
    tree,
  );
}

/** Splits metrics by a property of their events, or ends that. */
export function withSplit(tree: JsonTree, isOn: boolean): JsonTree {
  const place: Place = ["eventView", "eventSplit"];
  if (!isOn) return withValue(tree, place, undefined)!;
  const split = objectTree([
    ["event", objectTree([["eventName", textTree("anyEvent")]])],
    ["groupByProp", emptyGroup()],
  ]);
  return withValue(tree, place, split)!;
}

/** Writes a number with the digits that were typed; what is no number stays a text, and its fault is shown. */
export function withNumber(tree: JsonTree, place: Place, text: string): JsonTree {
  if (text.trim() === "") return withValue(tree, place, undefined)!;
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
  return withValue(tree, place, isNumber ? numberTree(text) : textTree(text))!;
}

/** The places whose empty members mean that the form is still being filled in. */
export function openFields(tree: JsonTree): readonly string[] {
  const open: string[] = [];
  const need = (place: Place): void => {
    if (textAt(tree, place).trim() === "") open.push(pathOf(place));
  };
  const filters = (owner: Place): void => {
    open.push(...openFilters(tree, owner));
  };
  filters(["eventView"]);
  for (const [i] of elementsAt(tree, ["eventView", "groupBy"]).entries()) {
    need(["eventView", "groupBy", i, "columnName"]);
  }
  for (const [i] of elementsAt(tree, ["events"]).entries()) {
    const metric: Place = ["events", i];
    const kind = metricKindOf(tree, metric);
    need([...metric, "eventName"]);
    if (kind === "formula") need([...metric, "customEvent"]);
    if (kind === "named") need([...metric, "metricName"]);
    const takesQuota = quotaTypesOf(textAt(tree, [...metric, "analysis"])) !== undefined;
    if (kind === "event" && takesQuota) need([...metric, "quota"]);
    filters(metric);
  }
  return open;
}
