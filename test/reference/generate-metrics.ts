import { columns, nameColumn } from "./generate-columns.ts";
import { generateFilters } from "./generate-filters.ts";
import { eventNames, type Scene } from "./generate-records.ts";
import type { Random } from "./random.ts";

const events = [...eventNames, "order", "anyEvent", "anyEvent", "nobody_sent_it"];
const plain = ["TOTAL_TIMES", "TRIG_USER_NUM", "PER_CAPITA_TIMES"];
const byType = {
  number: [
    "SUM",
    "AVG",
    "PER_CAPITA_NUM",
    "MAX",
    "MIN",
    "MEDIAN",
    "PERCENTILE",
    "DISTINCT",
    "IS_EMPTY",
    "IS_NOT_EMPTY",
  ],
  text: ["DISTINCT", "IS_EMPTY", "IS_NOT_EMPTY"],
  boolean: ["TRUE", "FALSE", "IS_EMPTY", "IS_NOT_EMPTY", "DISTINCT"],
  time: ["DISTINCT", "IS_EMPTY", "IS_NOT_EMPTY"],
  list: ["ARRAY_DISTINCT", "ARRAY_SET_DISTINCT", "ARRAY_ITEM_DISTINCT", "IS_EMPTY", "IS_NOT_EMPTY"],
  object: ["IS_EMPTY", "IS_NOT_EMPTY"],
  cohort: [],
  unknown: ["SUM", "AVG", "MAX", "DISTINCT", "IS_EMPTY", "IS_NOT_EMPTY", "TRUE"],
} as const;
const quotas = columns.filter(({ tableType, member }) => tableType === "event" && !member);
const entities = columns.filter(({ columnName }) =>
  ["#account_id", "#distinct_id", "channel", "Level", "country", "#user_id"].includes(columnName),
);

/** One of `events`. @param splits whether the request has an event split */
export function generateMetric(random: Random, scene: Scene, splits: boolean): Record<string, unknown> {
  const operands = random.chance(0.3) ? random.few(1, 4) : 0;
  const metric = operands > 0 ? generateFormula(random, operands) : generatePlain(random);
  const count = Math.max(operands, 1);
  return {
    ...metric,
    ...generateFilters(random, scene, 2),
    ...(operands > 0 &&
      random.chance(0.4) && {
        customFilters: indexed(random, count, () => generateFilters(random, scene, 2)),
      }),
    ...(random.chance(0.15) && {
      quotaEntities: indexed(random, count, () => ({
        taIdMeasure: nameColumn(random, random.pick(entities)),
      })),
    }),
    ...(random.chance(0.12) && { quotaTimeRanges: indexed(random, count, () => generateWindow(random)) }),
    ...(random.chance(splits ? 0.7 : 0) && {
      eventSplitIndexes: Array.from({ length: count }, (_, at) => at),
    }),
    ...(random.chance(0.2) && {
      format: random.pick(["float", "Float3", "float4", "percent", "integer", "money"]),
    }),
    ...(random.chance(0.1) && { eventNameDisplay: "display", eventUuid: "e1" }),
  };
}

function indexed(
  random: Random,
  count: number,
  entry: () => Record<string, unknown>,
): Record<string, unknown>[] {
  return random.some([...Array(count).keys()], count).map((index) => ({ index, ...entry() }));
}

function generatePlain(random: Random): Record<string, unknown> {
  if (random.chance(0.07)) {
    return {
      type: random.pick(["normal", "customized"]),
      eventName: "Custom Metric",
      metricName: random.pick(["payers", "arpu", "web_logins"]),
    };
  }
  const { quota, analysis } = someAnalysis(random);
  return {
    type: "normal",
    eventName: random.pick(events),
    analysis,
    ...(quota !== undefined && { quota }),
    ...(analysis === "PERCENTILE" && { analysisParams: random.pick(["1", "25", "50", 90, 95, "99.5", 100]) }),
  };
}

function someAnalysis(random: Random): { readonly quota?: string; readonly analysis: string } {
  if (random.chance(0.45)) return { analysis: random.pick(plain) };
  const { columnName, type } = random.pick(quotas);
  return { quota: columnName, analysis: random.pick<string>(byType[type]) };
}

function generateFormula(random: Random, operands: number): Record<string, unknown> {
  const texts = Array.from({ length: operands }, () => {
    if (random.chance(0.08)) return `$metric.${random.pick(["payers", "arpu", "web_logins"])}`;
    const { quota, analysis } = someAnalysis(random);
    return [random.pick(events), ...(quota === undefined ? [] : [quota]), analysis].join(".");
  });
  const space = random.pick(["", " "]);
  const formula = texts.reduce((left, right, at) => {
    const whole = `${left}${space}${random.pick(["+", "-", "*", "/"])}${space}${right}`;
    return random.chance(0.3) && at < texts.length - 1 ? `(${whole})` : whole;
  });
  const number = random.pick(["2", "0.5", "0", "100"]);
  const customEvent = random.chance(0.3) ? `(${formula}) ${random.pick(["+", "*", "/"])} ${number}` : formula;
  return {
    type: "customized",
    eventName: random.pick(["Custom Metric", "自定义指标"]),
    customEvent,
    ...(usesPercentile(texts) && { analysisParams: "75" }),
  };
}

function usesPercentile(operands: readonly string[]): boolean {
  return operands.some((text) => text.endsWith(".PERCENTILE"));
}

function generateWindow(random: Random): Record<string, unknown> {
  const type = random.pick(["LAST_DAYS", "RECENT_DAYS", "THIS_WEEK", "THIS_MONTH", "TIME_RANGE"]);
  const first = random.int(-3, 2);
  const params =
    type === "TIME_RANGE"
      ? [String(first), String(first + random.int(0, 3))]
      : type.startsWith("THIS")
        ? []
        : [String(random.int(1, 4))];
  return { type, params };
}
