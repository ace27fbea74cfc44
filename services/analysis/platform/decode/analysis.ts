import { create } from "@bufbuild/protobuf";
import { exactCountOf } from "../../../../base/text/count.ts";
import type { EventMetric, ValueFormat } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { EventQuery } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import {
  type EventAnalysis,
  EventAnalysisSchema,
  type Group,
  type GroupEntry,
  GroupEntrySchema,
  GroupSchema,
  type GroupValue,
  type MetricResult,
  MetricResultSchema,
  SeriesSchema,
} from "../../../../gen/engage/analysis/v1/result_pb.ts";
import { AnalysisRefusal, returnCodes } from "../../refusal/refusal.ts";
import { decodeGroup, groupsOf } from "./groups.ts";
import { matchMetrics } from "./match-metrics.ts";
import { bucketsOf, createInfo, generateTime, type Warn } from "./result-info.ts";
import { decodeValue, type PercentAs, valuesOf } from "./values.ts";

export interface DecodeOptions {
  readonly percentAs: PercentAs;
  readonly overallLabels: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** What is needed to read the response to one query. */
interface Reading {
  readonly query: EventQuery;
  readonly options: DecodeOptions;
  readonly x: readonly string[];
  readonly compared: readonly string[];
  readonly warn: Warn;
}

/**
 * Decodes the `data` of a response to a typed result. Labels have no instants, since the platform does not report them.
 * @throws AnalysisRefusal INTERNAL if the data has another form, since numbers of an unknown form must not be taken for
 * the expected ones
 */
export function decodeAnalysis(data: unknown, query: EventQuery, options: DecodeOptions): EventAnalysis {
  const members = membersOf(data, "data");
  const warnings: string[] = [];
  const reading: Reading = {
    query,
    options,
    x: labelsOf(members, "x"),
    compared: labelsOf(members, "x_compared"),
    warn: (text) => warnings.push(text),
  };
  const y = decodeResults(members["y"], reading);
  const unionGroups = unionOf(members["union_groups"], y, reading);
  const unionGroupNum = countOf(members["union_group_num"]) ?? largest(y, unionGroups.length);
  const isTruncated = members["truncated"] === true || unionGroupNum > unionGroups.length;
  return create(EventAnalysisSchema, {
    resultGenerateTime: generateTime(members["result_generate_time"], query.zoneOffset),
    unionGroups,
    unionGroupNum,
    x: bucketsOf(reading.x),
    xCompared: bucketsOf(reading.compared),
    y,
    info: createInfo(query.zoneOffset, members, isTruncated, warnings),
  });
}

function decodeResults(y: unknown, reading: Reading): MetricResult[] {
  const { query } = reading;
  if (typeof y !== "object" || y === null) throw refuseUnreadable("data.y is not a list of results");
  const results: readonly (readonly [string, unknown])[] = (Array.isArray(y) ? y : [y]).flatMap(
    (one: unknown, i) => Object.entries(membersOf(one, `data.y[${i}]`)),
  );
  const matches = matchMetrics(
    results.map(([key]) => key),
    query.events,
  );
  if (matches === undefined) {
    const keys = results.map(([key]) => JSON.stringify(key)).join(", ");
    const counts = `${exactCountOf(results.length, "result")} for ${exactCountOf(query.events.length, "metric")}`;
    throw refuseUnreadable(`data.y has ${counts}, which cannot be assigned: ${keys}`);
  }
  return results.map(([key, value], i) => {
    const { eventIndex, splitValue } = matches[i]!;
    const metric = query.events[eventIndex]!;
    const entries = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    const rows = entries.map((entry, at) => membersOf(entry, `data.y[${JSON.stringify(key)}][${at}]`));
    return create(MetricResultSchema, {
      resultKey: key,
      eventIndex,
      eventUuid: metric.eventUuid,
      displayName: metric.eventNameDisplay || key,
      splitValue: splitValue === undefined ? undefined : decodeGroup(splitValue),
      format: metric.format,
      groupNum: Math.max(rows.length, ...rows.map((row) => countOf(row["group_num"]) ?? 0)),
      entries: rows.map((row, at) => decodeEntry(row, `${key}[${at}]`, metric, reading)),
    });
  });
}

function decodeEntry(row: Members, place: string, metric: EventMetric, reading: Reading): GroupEntry {
  const { query, options, x, compared } = reading;
  const groupBy = query.eventView?.groupBy.length ?? 0;
  const groupCols = groupsOf(row["group_cols"], groupBy, options.overallLabels);
  if (groupCols === undefined) {
    throw refuseUnreadable(`${place} does not have ${groupBy} group_cols`);
  }
  const series = (member: "values" | "values_compared", labels: readonly string[]) => {
    const values = valuesOf(row, member, labels);
    if (values === undefined) return undefined;
    if (values.length === labels.length) return decodeSeries(values, place, metric.format, reading);
    const counts = `${values.length} ${member} for ${exactCountOf(labels.length, "label")}`;
    throw refuseUnreadable(`${place} has ${counts}`);
  };
  const values = series("values", x);
  if (values === undefined) throw refuseUnreadable(`${place} has no values`);
  const isCompared = query.eventView?.comparedByTime === true || compared.length > 0;
  const valuesCompared = isCompared ? series("values_compared", compared) : undefined;
  return create(GroupEntrySchema, { groupCols, values, valuesCompared });
}

function decodeSeries(values: readonly unknown[], place: string, format: ValueFormat, reading: Reading) {
  const missing: number[] = [];
  const numbers = values.map((value, at) => {
    const number = decodeValue(value, format, reading.options.percentAs);
    if (number === undefined) {
      reading.warn(`${place}: ${JSON.stringify(value)} is not a number and counts as no value`);
    }
    if (number === undefined || Number.isNaN(number)) missing.push(at);
    return number ?? Number.NaN;
  });
  return create(SeriesSchema, { numbers, missing });
}

/** Returns the groups of the response; if it has none, the groups of its entries in their order. */
function unionOf(given: unknown, y: readonly MetricResult[], reading: Reading): Group[] {
  const { query, options } = reading;
  const count = query.eventView?.groupBy.length ?? 0;
  const named = Array.isArray(given)
    ? given.map((one) => groupsOf(one, count, options.overallLabels))
    : [undefined];
  if (named.every((group) => group !== undefined)) {
    return named.map((groupCols) => create(GroupSchema, { groupCols }));
  }
  const byText = new Map<string, GroupValue[]>();
  for (const { groupCols } of y.flatMap(({ entries }) => entries)) {
    const text = JSON.stringify(groupCols.map(({ value }) => (value.case === "label" ? value.value : null)));
    if (!byText.has(text)) byText.set(text, groupCols);
  }
  return [...byText.values()].map((groupCols) => create(GroupSchema, { groupCols }));
}

function largest(y: readonly MetricResult[], groups: number): number {
  return Math.max(groups, ...y.map(({ groupNum }) => groupNum));
}

function membersOf(value: unknown, place: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw refuseUnreadable(`${place} is not an object`);
}

function labelsOf(members: Members, name: string): readonly string[] {
  const value = members[name] ?? (name === "x" ? undefined : []);
  const isLabels =
    Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
  if (!isLabels) throw refuseUnreadable(`data.${name} is not a list of labels`);
  return value.map((label) => String(label));
}

function countOf(value: unknown): number | undefined {
  const count = typeof value === "string" ? Number(value) : value;
  return Number.isInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

export function refuseUnreadable(what: string): AnalysisRefusal {
  return new AnalysisRefusal(returnCodes.internal, `the platform's response cannot be read: ${what}`);
}
