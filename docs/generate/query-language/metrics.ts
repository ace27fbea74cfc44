import {
  AggregationSchema,
  QuotaTimeRangeTypeSchema,
  ValueFormatSchema,
} from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { code, table } from "../markdown.ts";
import type { Ask } from "./server.ts";
import { examplesOf } from "./vocabulary.ts";

const metric = (analysis: string, more: object = {}) => ({
  type: "normal",
  eventName: "pay",
  analysis,
  ...more,
});

/** An example of each aggregation: a metric of the events `pay`. */
const aggregations: Readonly<Record<string, object>> = {
  TOTAL_TIMES: metric("TOTAL_TIMES"),
  TRIG_USER_NUM: metric("TRIG_USER_NUM"),
  PER_CAPITA_TIMES: metric("PER_CAPITA_TIMES"),
  SUM: metric("SUM", { quota: "price" }),
  AVG: metric("AVG", { quota: "price" }),
  PER_CAPITA_NUM: metric("PER_CAPITA_NUM", { quota: "price" }),
  MAX: metric("MAX", { quota: "price" }),
  MIN: metric("MIN", { quota: "price" }),
  DISTINCT: metric("DISTINCT", { quota: "item" }),
  TRUE: metric("TRUE", { quota: "gift" }),
  FALSE: metric("FALSE", { quota: "gift" }),
  IS_NOT_EMPTY: metric("IS_NOT_EMPTY", { quota: "item" }),
  IS_EMPTY: metric("IS_EMPTY", { quota: "item" }),
  ARRAY_DISTINCT: metric("ARRAY_DISTINCT", { quota: "tags" }),
  ARRAY_SET_DISTINCT: metric("ARRAY_SET_DISTINCT", { quota: "tags" }),
  ARRAY_ITEM_DISTINCT: metric("ARRAY_ITEM_DISTINCT", { quota: "tags" }),
  MEDIAN: metric("MEDIAN", { quota: "price" }),
  PERCENTILE: metric("PERCENTILE", { quota: "price", analysisParams: "75" }),
};

const formula = (customEvent: string, more: object = {}) => ({
  type: "customized",
  eventName: "result",
  customEvent,
  ...more,
});
const share = "pay.TRIG_USER_NUM / login.TOTAL_TIMES";

const formats: Readonly<Record<string, object>> = Object.fromEntries(
  ["float", "float3", "float4", "percent", "integer"].map((format) => [format, formula(share, { format })]),
);

/** What formulas may contain, each with an example. */
const formulas: readonly (readonly [meaning: string, example: object])[] = [
  ["Aggregations of events, without a property.", formula("pay.TOTAL_TIMES / login.TOTAL_TIMES")],
  ["Aggregations of a property.", formula("pay.price.SUM / pay.TRIG_USER_NUM")],
  ["Parentheses, numbers and all four operations.", formula("(pay.price.MAX - pay.price.MIN) * 2 + 1")],
  ["A metric of the project's configuration.", formula("$metric.payers / login.TRIG_USER_NUM")],
  ["A virtual property.", formula("pay.#vp@cents.SUM")],
  ["A division by zero has no value.", formula("pay.TOTAL_TIMES / refund.TOTAL_TIMES")],
  [
    "Conditions on one operand, by its index.",
    formula("pay.TOTAL_TIMES / pay.TOTAL_TIMES", {
      customFilters: [
        {
          index: 0,
          filts: [{ columnName: "gift", tableType: "event", comparator: "isTrue", ftv: [] }],
        },
      ],
    }),
  ],
  [
    "Another property that counts as the user, by the index of the operand.",
    formula("pay.TRIG_USER_NUM", {
      quotaEntities: [{ index: 0, taIdMeasure: { columnName: "item", tableType: "event" } }],
    }),
  ],
  [
    "A metric of the configuration, as a whole.",
    { type: "normal", eventName: "payers", metricName: "payers" },
  ],
];

const windows: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries({
    LAST_DAYS: ["1"],
    RECENT_DAYS: ["2"],
    THIS_WEEK: [],
    THIS_MONTH: [],
    TIME_RANGE: ["-2", "-1"],
  }).map(([type, params]) => [
    type,
    metric("TOTAL_TIMES", { quotaTimeRanges: [{ index: 0, type, params }] }),
  ]),
);

/** Writes the part about metrics. */
export async function writeMetricWords(ask: Ask): Promise<string> {
  const values = async (event: object, timeParticleSize: string): Promise<string> => {
    const eventView = { recentDay: "1-4", timeParticleSize };
    const { y } = await ask("event-analyze", { projectId: 1, eventView, events: [event] });
    return Object.values(y[0]!)[0]![0]!
      .values.map((value) => value || "no value")
      .join(", ");
  };
  const rows = (examples: ReturnType<typeof examplesOf<object>>, size: string) =>
    Promise.all(
      examples.map(async ({ word, meaning, example }) => [
        code(word),
        meaning,
        code(JSON.stringify(example)),
        await values(example, size),
      ]),
    );
  const ofFormulas = await Promise.all(
    formulas.map(async ([meaning, example]) => [
      meaning,
      code(JSON.stringify(example)),
      await values(example, "total"),
    ]),
  );
  const head = ["Word", "Meaning", "Example", "Value"];
  return [
    "## Aggregations\n",
    "The `analysis` of a metric with the `type` `normal`. Each example is an entry of `events`, with its value over the " +
      "four days. `quota` is the property. The event `anyEvent` stands for all events.\n",
    table(head, await rows(examplesOf(AggregationSchema, aggregations), "total")),
    "## Formulas\n",
    "The `customEvent` of a metric with the `type` `customized`. Operands are numbered from 0, from left to right.\n",
    table(["Meaning", "Example", "Value"], ofFormulas),
    "## Formats\n",
    "The `format` of a metric in REST and CSV. Typed responses have the number itself. Without one, whole numbers are " +
      "digits, and others have at most two decimals.\n",
    table(head, await rows(examplesOf(ValueFormatSchema, formats), "total")),
    "## Windows\n",
    "`quotaTimeRanges` gives an operand another range of days, relative to the day of the bucket. Each example counts the " +
      "payments for each of the four days.\n",
    table(
      ["Word", "Meaning", "Example", "Values"],
      await rows(examplesOf(QuotaTimeRangeTypeSchema, windows), "day"),
    ),
  ].join("\n");
}
