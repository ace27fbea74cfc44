import { type Aggregated, type Aggregation, aggregations, needsProperty, suits } from "./aggregate.ts";
import { type Column, findColumn, readColumn } from "./columns.ts";
import { type Condition, compileFilters } from "./filters.ts";
import {
  type Json,
  needText,
  needWord,
  readList,
  readNumber,
  readObject,
  readObjects,
  readText,
  readWhole,
  readWord,
} from "./form.ts";
import { evaluateFormula, type Formula, parseFormula } from "./formula.ts";
import type { QueryContext } from "./query.ts";
import { Refused } from "./refused.ts";
import { readWindows, type Window } from "./windows.ts";

export interface Operand {
  readonly holds: Condition;
  readonly aggregated: Aggregated;
  readonly window: Window | undefined;
}

export interface Metric {
  readonly operands: readonly Operand[];
  readonly split: boolean;
  value(operands: readonly (number | null)[]): number | null;
}

/** One operand before what the metric says of it by number. */
interface Source {
  readonly eventName: string;
  readonly aggregation: Aggregation;
  readonly quota: Column | undefined;
  readonly percentile: number;
}

/** A formula over sources or over other metrics. */
interface Outline {
  readonly formula: Formula;
  readonly parts: readonly (Source | Metric)[];
}

export function readMetric(json: Json, field: string, context: QueryContext): Metric {
  const type = needWord(json, "type", `${field}.type`, ["normal", "customized"]);
  needText(json, "eventName", `${field}.eventName`);
  const outline = type === "normal" ? readNormal(json, field, context) : readCustomized(json, field, context);
  const all = compileFilters(json, field, context);
  const own = readCustomFilters(json, field, context);
  const entities = readEntities(json, field, context);
  const windows = readWindows(json, field, context);
  const splits = readList(json, "eventSplitIndexes", `${field}.eventSplitIndexes`);
  const named = [...splits, ...own.keys(), ...entities.keys(), ...windows.keys()];
  if (!named.every((index) => /^\d+$/.test(String(index)) && outline.parts[Number(index)])) {
    throw new Refused(field, `no such operand: ${named}`);
  }
  const user = findColumn("event", "#user_id", context);
  const operands: Operand[][] = outline.parts.map((part, index) => {
    const custom = own.get(index) ?? (() => true);
    const narrow =
      (holds: Condition): Condition =>
      (event) =>
        holds(event) && all(event) && custom(event);
    const entity = entities.get(index);
    const window = windows.get(index);
    if ("operands" in part) {
      return part.operands.map((operand) => ({
        holds: narrow(operand.holds),
        aggregated: { ...operand.aggregated, entity: entity ?? operand.aggregated.entity },
        window: window ?? operand.window,
      }));
    }
    const isNamed: Condition =
      part.eventName === "anyEvent" ? () => true : (event) => event.name === part.eventName;
    return [
      {
        holds: narrow(isNamed),
        aggregated: { ...part, entity: entity ?? user },
        window,
      },
    ];
  });
  return { operands: operands.flat(), split: splits.length > 0, value: combineParts(outline) };
}

function combineParts({ formula, parts }: Outline): Metric["value"] {
  return (values) => {
    let at = 0;
    const own = parts.map((part) => {
      if (!("operands" in part)) return values[at++]!;
      const inner = values.slice(at, at + part.operands.length);
      at += part.operands.length;
      return part.value(inner);
    });
    return evaluateFormula(formula, own);
  };
}

function readNormal(json: Json, field: string, context: QueryContext): Outline {
  const aggregation = readWord(json, "analysis", `${field}.analysis`, aggregations);
  const formula = { operand: 0 };
  if (aggregation === undefined) {
    const name = readText(json, "metricName", `${field}.metricName`);
    if (name === undefined) throw new Refused(`${field}.analysis`, "missing");
    return { formula, parts: [namedMetric(name, `${field}.metricName`, context)] };
  }
  const quota = readText(json, "quota", `${field}.quota`);
  if (needsProperty(aggregation) && quota === undefined) throw new Refused(`${field}.quota`, "missing");
  const source = {
    eventName: needText(json, "eventName", `${field}.eventName`),
    aggregation,
    quota: needsProperty(aggregation) ? readQuota(aggregation, quota!, `${field}.quota`, context) : undefined,
    percentile: aggregation === "PERCENTILE" ? readPercentile(json, field) : 50,
  };
  return { formula, parts: [source] };
}

function readQuota(aggregation: Aggregation, name: string, field: string, context: QueryContext): Column {
  const column = findColumn("event", name, context);
  if (!suits(aggregation, column)) throw new Refused(field, `${aggregation} is not for a ${column.type}`);
  return column;
}

function readPercentile(json: Json, field: string): number {
  const value = readNumber(json, "analysisParams", `${field}.analysisParams`);
  if (value === undefined || value < 1 || value > 100) {
    throw new Refused(`${field}.analysisParams`, `not from 1 to 100: ${value}`);
  }
  return value;
}

function readCustomized(json: Json, field: string, context: QueryContext): Outline {
  const path = `${field}.customEvent`;
  const name = readText(json, "metricName", `${field}.metricName`);
  if (name !== undefined && !readText(json, "customEvent", path)?.trim()) {
    return { formula: { operand: 0 }, parts: [namedMetric(name, `${field}.metricName`, context)] };
  }
  const { formula, operands } = parseFormula(needText(json, "customEvent", path), path);
  const parts = operands.map((text) => {
    if (text.startsWith("$metric.")) return namedMetric(text.slice(8), path, context);
    const [first, last] = [text.indexOf("."), text.lastIndexOf(".")];
    const aggregation = aggregations.find((name) => name === text.slice(last + 1));
    const isWhole = text.split(".").every((part) => part.trim() !== "");
    if (!isWhole || first < 1 || aggregation === undefined) throw new Refused(path, `no operand: ${text}`);
    const quota = first === last ? undefined : text.slice(first + 1, last);
    if (needsProperty(aggregation) !== Boolean(quota)) throw new Refused(path, `property or not: ${text}`);
    return {
      eventName: text.slice(0, first),
      aggregation,
      quota: quota === undefined ? undefined : readQuota(aggregation, quota, path, context),
      percentile: aggregation === "PERCENTILE" ? readPercentile(json, field) : 50,
    };
  });
  return { formula, parts };
}

function namedMetric(name: string, field: string, context: QueryContext): Metric {
  const named = context.data.project.metrics[name];
  if (!named) throw new Refused(field, `no metric: ${name}`);
  return readMetric({ eventName: name, ...named }, field, context);
}

function readIndexed<T>(
  json: Json,
  name: string,
  field: string,
  read: (entry: Json, path: string) => T,
): Map<number, T> {
  const found = new Map<number, T>();
  for (const [at, entry] of readObjects(json, name, `${field}.${name}`).entries()) {
    const path = `${field}.${name}[${at}]`;
    const index = readWhole(entry, "index", `${path}.index`, 0, 1000);
    if (index === undefined) throw new Refused(`${path}.index`, "missing");
    found.set(index, read(entry, path));
  }
  return found;
}

function readCustomFilters(json: Json, field: string, context: QueryContext): Map<number, Condition> {
  return readIndexed(json, "customFilters", field, (entry, path) => compileFilters(entry, path, context));
}

function readEntities(json: Json, field: string, context: QueryContext): Map<number, Column> {
  return readIndexed(json, "quotaEntities", field, (entry, path) => {
    const measure = readObject(entry["taIdMeasure"], `${path}.taIdMeasure`);
    const column = readColumn(measure, `${path}.taIdMeasure`, context);
    if (column.group !== undefined || column.type === "list" || column.type === "cohort") {
      throw new Refused(`${path}.taIdMeasure`, "more than one value");
    }
    return column;
  });
}
