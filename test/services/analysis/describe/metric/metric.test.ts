import { expect, describe as group, it } from "vitest";
import { ValueFormat } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { Computation } from "../../../../../services/analysis/describe/metric/operand.ts";
import { describe, projectOf, refusalsOf, warningsOf } from "../described.ts";

/** A computation as one can read it, with measures by their numbers. */
function show(computation: Computation): string {
  switch (computation.kind) {
    case "number":
      return String(computation.value);
    case "measure": {
      const { scan, measure } = computation.ref;
      return `${scan}.${measure}${computation.nullIsZero ? "|0" : ""}`;
    }
    case "binary":
      return `(${show(computation.left)} ${computation.operator} ${show(computation.right)})`;
  }
}

const normal = (analysis: string, quota = "", more: object = {}) => ({
  type: "normal",
  eventName: "pay",
  analysis,
  quota,
  ...more,
});
const formula = (customEvent: string, more: object = {}) => ({
  type: "customized",
  eventName: "ratio",
  customEvent,
  ...more,
});
const userEntity = (index: number) => ({
  index,
  taIdMeasure: { columnName: "#user_id", tableType: "event" },
});
const aggregatesOf = (...events: object[]) =>
  describe({ events }).scans.map(({ measures }) => measures.map(({ aggregate }) => aggregate.kind));

group("aggregations", () => {
  it.each([
    ["TOTAL_TIMES", "", ["count"], "0.0"],
    ["TRIG_USER_NUM", "", ["distinct"], "0.0"],
    ["PER_CAPITA_TIMES", "", ["count", "distinct"], "(0.0 / 0.1)"],
    ["SUM", "price", ["sum"], "0.0|0"],
    ["AVG", "price", ["sum", "values"], "(0.0|0 / 0.1)"],
    ["PER_CAPITA_NUM", "price", ["sum", "distinct"], "(0.0|0 / 0.1)"],
    ["MAX", "price", ["max"], "0.0"],
    ["MIN", "price", ["min"], "0.0"],
    ["DISTINCT", "brand", ["distinct"], "0.0"],
    ["TRUE", "paid", ["count"], "0.0"],
    ["FALSE", "paid", ["count"], "0.0"],
    ["IS_NOT_EMPTY", "tags", ["values"], "0.0"],
    ["IS_EMPTY", "tags", ["count"], "0.0"],
    ["ARRAY_DISTINCT", "tags", ["distinct"], "0.0"],
    ["ARRAY_SET_DISTINCT", "tags", ["distinct"], "0.0"],
    ["ARRAY_ITEM_DISTINCT", "tags", ["distinct"], "0.0"],
    ["MEDIAN", "price", ["quantile"], "0.0"],
  ])("%s of %j", (analysis, quota, aggregates, computation) => {
    const plan = describe({ events: [normal(analysis, quota)] });
    expect(plan.scans.map(({ measures }) => measures.map(({ aggregate }) => aggregate.kind))).toEqual([
      aggregates,
    ]);
    expect(show(plan.metrics[0]!.computation)).toBe(computation);
  });

  it.each([
    ["95", 0.95],
    ["1", 0.01],
    ["99.5", 0.995],
  ])("PERCENTILE of %s", (analysisParams, fraction) => {
    const plan = describe({ events: [normal("PERCENTILE", "price", { analysisParams })] });
    expect(plan.scans[0]!.measures[0]!.aggregate).toMatchObject({ kind: "quantile", fraction });
  });

  it("count the values of the entity instead of users", () => {
    const quotaEntities = [{ index: 0, taIdMeasure: { columnName: "#account_id", tableType: "event" } }];
    const plan = describe({ events: [normal("TRIG_USER_NUM", "", { quotaEntities })] });
    expect(plan.scans[0]!.measures[0]!.aggregate).toMatchObject({
      of: { kind: "builtin", name: "account_id" },
    });
  });

  it("take a property of the user where no event has it", () => {
    const plan = describe({ events: [normal("MAX", "level")] });
    expect(plan.scans[0]!.measures[0]!.aggregate).toMatchObject({ of: { property: { table: "user" } } });
  });
});

group("measures", () => {
  it("of all metrics share one scan, equal ones are computed once", () => {
    expect(
      aggregatesOf(
        normal("SUM", "price"),
        normal("AVG", "price"),
        normal("PER_CAPITA_NUM", "price"),
        normal("SUM", "price"),
      ),
    ).toEqual([["sum", "values", "distinct"]]);
  });

  it("of split metrics share another", () => {
    const eventSplit = {
      event: { eventName: "pay" },
      groupByProp: { columnName: "brand", tableType: "event" },
    };
    const events = [
      normal("TOTAL_TIMES", "", { eventSplitIndexes: [0] }),
      normal("TOTAL_TIMES"),
      normal("TRIG_USER_NUM", "", { eventSplitIndexes: [0] }),
    ];
    const { scans, metrics } = describe({ view: { eventSplit }, events });
    expect(scans.map(({ isSplit, measures }) => [isSplit, measures.length])).toEqual([
      [true, 2],
      [false, 1],
    ]);
    expect(metrics.map(({ isSplit }) => isSplit)).toEqual([true, false, true]);
  });

  it("of a window of days have a scan for each kind of window", () => {
    const window = (type: string, ...params: unknown[]) => ({
      quotaTimeRanges: [{ index: 0, type, params }],
    });
    const { scans } = describe({
      events: [
        normal("TOTAL_TIMES", "", window("LAST_DAYS", 7)),
        normal("TRIG_USER_NUM", "", window("LAST_DAYS", "7")),
        normal("TOTAL_TIMES", "", window("THIS_WEEK")),
        normal("TOTAL_TIMES"),
      ],
    });
    expect(scans.map(({ window: own, measures }) => [own?.id, measures.length])).toEqual([
      ["LAST_DAYS(7)", 2],
      ["THIS_WEEK()", 1],
      [undefined, 1],
    ]);
  });

  it("of nothing known match no event, of anyEvent all", () => {
    const { scans } = describe({
      events: [
        { ...normal("TOTAL_TIMES"), eventName: "nobody_sent_it" },
        { ...normal("TOTAL_TIMES"), eventName: "anyEvent" },
        normal("TOTAL_TIMES"),
      ],
    });
    expect(scans[0]!.measures.map(({ events }) => events)).toEqual([[], undefined, [2]]);
  });
});

group("groups", () => {
  const view = { groupBy: [{ columnName: "brand", tableType: "event" }] };
  const presenceOf = (...events: object[]) => {
    const { scans, metrics } = describe({ view, events });
    return metrics.map(({ presence }) =>
      presence.map(({ scan, measure }) =>
        measure === undefined ? "any" : scans[scan]!.measures[measure]!.aggregate.kind,
      ),
    );
  };

  it("are all of a scan when it looks at the same events", () => {
    expect(presenceOf(normal("SUM", "price"), normal("AVG", "price"))).toEqual([["any"], ["any"]]);
  });

  it("are distinguished by a count, or by users where they are counted anyway", () => {
    expect(presenceOf(normal("SUM", "price"), { ...normal("TRIG_USER_NUM"), eventName: "login" })).toEqual([
      ["count"],
      ["distinct"],
    ]);
  });

  it("count events for which nothing holds", () => {
    expect(presenceOf(normal("TRUE", "paid"))).toEqual([["count"]]);
    expect(describe({ view, events: [normal("TRUE", "paid")] }).scans[0]!.measures).toHaveLength(2);
  });
});

group("formulas", () => {
  it.each([
    ["pay.price.SUM / pay.TRIG_USER_NUM", "(0.0|0 / 0.1)"],
    ["(pay.TOTAL_TIMES + 1) * 2", "((0.0 + 1) * 2)"],
    ["login.PER_CAPITA_TIMES", "(0.0 / 0.1)"],
    ["$metric.arpu * 100", "((0.0|0 / 0.1) * 100)"],
    ["1 + 2", "(1 + 2)"],
  ])("%s", (text, computation) => {
    const project = projectOf({ metrics: { arpu: { customEvent: "pay.price.SUM / pay.TRIG_USER_NUM" } } });
    expect(show(describe({ events: [formula(text)] }, project).metrics[0]!.computation)).toBe(computation);
  });

  it("narrow single operands", () => {
    const filts = [{ columnName: "brand", tableType: "event", comparator: "isNull", ftv: [] }];
    const events = [formula("pay.TOTAL_TIMES / pay.TOTAL_TIMES", { customFilters: [{ index: 1, filts }] })];
    const { measures } = describe({ events }).scans[0]!;
    expect(measures.map(({ where }) => where.kind)).toEqual(["always", "isNull"]);
  });

  it("hand on what they say of an operand that is a metric of the project", () => {
    const project = projectOf({ metrics: { dau: { eventName: "login", analysis: "TRIG_USER_NUM" } } });
    const more = {
      quotaTimeRanges: [{ index: 0, type: "RECENT_DAYS", params: ["3"] }],
      quotaEntities: [{ index: 0, taIdMeasure: { columnName: "#account_id", tableType: "user" } }],
    };
    const [scan] = describe({ events: [formula("$metric.dau", more)] }, project).scans;
    expect(scan!.window!.id).toBe("RECENT_DAYS(3)");
    expect(scan!.measures[0]!.aggregate).toMatchObject({ of: { name: "user_account_id" } });
  });
});

group("metrics of the project", () => {
  const project = projectOf({
    metrics: {
      dau: { eventName: "login", analysis: "TRIG_USER_NUM" },
      twice: { customEvent: "$metric.dau * 2" },
      loop: { customEvent: "$metric.pool" },
      pool: { customEvent: "$metric.loop" },
    },
  });
  const named = (metricName: string) => ({ type: "normal", eventName: "DAU", metricName });

  it("stand for what they are declared as", () => {
    const plan = describe({ events: [named("dau"), named("twice")] }, project);
    expect(plan.metrics.map(({ resultKey, computation }) => [resultKey, show(computation)])).toEqual([
      ["1_DAU", "0.0"],
      ["2_DAU", "(0.0 * 2)"],
    ]);
  });

  it.each([
    ["normal", {}],
    ["customized", {}],
    ["customized", { customEvent: " " }],
  ])("may have the type %s and more, %j", (type, more) => {
    const events = [{ type, eventName: "Custom Metric", metricName: "twice", ...more }];
    const [metric] = describe({ events }, project).metrics;
    expect([metric!.resultKey, show(metric!.computation)]).toEqual(["Custom Metric", "(0.0 * 2)"]);
    expect(refusalsOf({ events: [{ ...events[0], metricName: "mau" }] }, project)[0]).toContain(
      'events[0].metricName: "mau" is not a metric',
    );
  });

  it("must be known, and must not hold themselves", () => {
    expect(refusalsOf({ events: [named("mau")] }, project)).toEqual([
      'events[0].metricName: "mau" is not a metric of the project, did you mean "dau"? valid are "dau", "twice", "loop", "pool"',
    ]);
    expect(refusalsOf({ events: [named("loop")] }, project)[0]).toContain(
      'needs definitions that refer to each other: "$metric.loop" > "$metric.pool" > "$metric.loop"',
    );
  });
});

group("result keys", () => {
  it.each([
    [[normal("TOTAL_TIMES")], {}, ["pay.TOTAL_TIMES"]],
    [[normal("SUM", "price")], {}, ["pay.price.SUM"]],
    [[formula("pay.TOTAL_TIMES")], {}, ["ratio"]],
    [[normal("TOTAL_TIMES"), normal("SUM", "price")], {}, ["pay.TOTAL_TIMES", "pay.price.SUM"]],
    [
      [normal("TOTAL_TIMES"), normal("SUM", "price"), normal("TOTAL_TIMES")],
      {},
      ["1_pay.TOTAL_TIMES", "pay.price.SUM", "2_pay.TOTAL_TIMES"],
    ],
    [
      [normal("TOTAL_TIMES"), normal("TOTAL_TIMES")],
      { useSameResultKey: true },
      ["pay.TOTAL_TIMES", "pay.TOTAL_TIMES"],
    ],
  ])("%j %j", (events, body, keys) => {
    expect(describe({ events, body }).metrics.map(({ resultKey }) => resultKey)).toEqual(keys);
  });
});

group("refused is", () => {
  const index = (list: string, entry: object) => normal("TOTAL_TIMES", "", { [list]: [entry] });
  const entity = { taIdMeasure: { columnName: "#user_id", tableType: "event" } };
  const window = (type: string, ...params: unknown[]) => index("quotaTimeRanges", { index: 0, type, params });

  it.each([
    [normal("SUM"), "events[0].quota: is required by SUM"],
    [normal(""), 'events[0].analysis: is required, one of "TOTAL_TIMES", "TRIG_USER_NUM"'],
    [{ ...normal("TOTAL_TIMES"), type: "" }, 'events[0].type: is required, one of "normal", "customized"'],
    [{ ...normal("TOTAL_TIMES"), eventName: "" }, "events[0].eventName: is required"],
    [
      normal("SUM", "brand"),
      'events[0].quota: "brand" is a text column, which can\'t be aggregated by SUM, valid are "DISTINCT", "IS_NOT_EMPTY", "IS_EMPTY"',
    ],
    [normal("TRUE", "price"), "is a number column, which can't be aggregated by TRUE"],
    [
      normal("DISTINCT", "tags"),
      'valid are "IS_NOT_EMPTY", "IS_EMPTY", "ARRAY_DISTINCT", "ARRAY_SET_DISTINCT", "ARRAY_ITEM_DISTINCT"',
    ],
    [
      normal("SUM", "items.cost"),
      'is a member of the object group "items", which can\'t be aggregated by SUM',
    ],
    [normal("ARRAY_DISTINCT", "price"), "can't be aggregated by ARRAY_DISTINCT"],
    [normal("PERCENTILE", "price"), 'events[0].analysisParams: "" must be a number from 1 to 100'],
    [normal("PERCENTILE", "price", { analysisParams: "0" }), '"0" must be a number from 1 to 100'],
    [normal("PERCENTILE", "price", { analysisParams: "101" }), '"101" must be a number from 1 to 100'],
    [normal("PERCENTILE", "price", { analysisParams: "p95" }), '"p95" must be a number from 1 to 100'],
    [formula(""), "events[0].customEvent: is required for a formula"],
    [formula("pay.TIMES"), 'events[0].customEvent: "pay.TIMES" ends in the unknown analysis "TIMES"'],
    ...["pay..TOTAL_TIMES", "pay. .TOTAL_TIMES", "pay..price.SUM", "pay.price..SUM"].map(
      (text): [object, string] => [formula(`1 + (${text})`), "must have a name before, between and after"],
    ),
    [formula("a".repeat(10_001)), "must have at most 10000 characters"],
    [index("quotaEntities", entity), "events[0].quotaEntities[0].index: is required"],
    [index("quotaEntities", { ...entity, index: 1 }), "index: 1 is not an operand of the metric, valid is 0"],
    [index("quotaEntities", { index: 0 }), "events[0].quotaEntities[0].taIdMeasure: is required"],
    [
      index("quotaEntities", { index: 0, taIdMeasure: { columnName: "tags", tableType: "event" } }),
      'taIdMeasure.columnName: "tags" is a list column, but a counted entity must have one value',
    ],
    [
      normal("TRIG_USER_NUM", "", {
        quotaEntities: [
          { ...entity, index: 0 },
          { ...entity, index: 0 },
        ],
      }),
      "events[0].quotaEntities[1].index: 0 must not be named twice",
    ],
    [index("customFilters", { index: -1 }), "events[0].customFilters[0].index: -1 is not an operand"],
    [
      normal("TOTAL_TIMES", "", { eventSplitIndexes: [2] }),
      "events[0].eventSplitIndexes[0]: 2 is not an operand",
    ],
    [window("LAST_DAYS"), 'params: "" must be 1 whole number from 1 to 36500 with LAST_DAYS'],
    [window("LAST_DAYS", 0), 'params: "0" must be 1 whole number from 1 to 36500 with LAST_DAYS'],
    [window("THIS_WEEK", 1), 'params: "1" must be empty with THIS_WEEK'],
    [window("TIME_RANGE", 4, -3), 'params: "4,-3" must be in ascending order with TIME_RANGE'],
    [window(""), 'quotaTimeRanges[0].type: is required, one of "LAST_DAYS"'],
  ])("%j", (metric, refusal) => {
    const refusals = refusalsOf({ events: [metric] });
    expect(refusals.filter((one) => one.includes(refusal))).toHaveLength(1);
  });

  it.each([
    [[], "events: must have at least one metric"],
    [
      Array.from({ length: 101 }, () => normal("TOTAL_TIMES")),
      "events: has 101 metrics, at most 100 are possible",
    ],
    [
      [formula(Array.from({ length: 301 }, () => "pay.TOTAL_TIMES").join("+"))],
      "events[0]: exceeds the limit of 300 operands in a query",
    ],
  ])("a wrong number of them", (events, refusal) => {
    expect(refusalsOf({ events })).toEqual([refusal]);
  });
});

it.each([
  [normal("TOTAL_TIMES", "price"), "events[0].quota has no effect with TOTAL_TIMES"],
  [
    normal("TOTAL_TIMES", "", { analysisParams: "95" }),
    "events[0].analysisParams has no effect without PERCENTILE",
  ],
  [
    normal("TOTAL_TIMES", "", { metricName: "dau" }),
    "events[0].metricName has no effect together with analysis",
  ],
  [
    normal("TOTAL_TIMES", "", { customEvent: "login.TOTAL_TIMES" }),
    'events[0].customEvent has no effect with the type "normal"',
  ],
  [
    formula("pay.TOTAL_TIMES", { analysis: "SUM" }),
    "events[0].analysis has no effect together with customEvent",
  ],
  [formula("pay.TOTAL_TIMES", { quota: "price" }), "events[0].quota has no effect together with customEvent"],
  [
    formula("pay.TOTAL_TIMES", { metricName: "dau" }),
    "events[0].metricName has no effect together with customEvent",
  ],
  [
    formula("", { metricName: "dau", quota: "price" }),
    "events[0].quota has no effect together with metricName",
  ],
  [
    normal("", "", { metricName: "dau", customEvent: "pay.TOTAL_TIMES" }),
    "events[0].customEvent has no effect together with metricName",
  ],
  [
    formula("", { metricName: "dau", analysis: "SUM" }),
    "events[0].analysis has no effect together with metricName",
  ],
  [
    normal("SUM", "price", { quotaEntities: [userEntity(0)] }),
    "events[0].quotaEntities[0] has no effect with SUM",
  ],
  [
    formula("pay.TRIG_USER_NUM / pay.TOTAL_TIMES", { quotaEntities: [userEntity(0), userEntity(1)] }),
    "events[0].quotaEntities[1] has no effect with TOTAL_TIMES",
  ],
  [
    { ...normal("TOTAL_TIMES"), eventName: "logn" },
    'events[0].eventName: event "logn" is not known, it has no records; did you mean "login"? known are "login", "pay", "level_up"',
  ],
  [
    normal("TOTAL_TIMES", "", { format: "float2" }),
    'events[0].format "float2" (valid are "float", "float3", "float4", "percent", "integer") is unknown and was ignored',
  ],
  [
    { ...normal("TOTAL_TIMES"), eventName: "gone" },
    'events[0].eventName: event "gone" is not known, it has no records; known are "login", "pay", "level_up"',
  ],
  [
    formula("gone.TOTAL_TIMES"),
    'events[0].customEvent: event "gone" is not known, it has no records; known are "login", "pay", "level_up"',
  ],
])("warns of what has no effect in %j", (metric, warning) => {
  const project = projectOf({ metrics: { dau: { eventName: "login", analysis: "TRIG_USER_NUM" } } });
  expect(warningsOf({ events: [metric] }, project)).toEqual([warning]);
});

it("tells all that PERCENTILE lacks at once", () => {
  expect(refusalsOf({ events: [normal("PERCENTILE", "", { analysisParams: "p95" })] })).toEqual([
    "events[0].quota: is required by PERCENTILE",
    'events[0].analysisParams: "p95" must be a number from 1 to 100, the percentile',
  ]);
});

it.each(["INTEGER", "Integer", "integer"])("takes the format %s", (format) => {
  const plan = describe({ events: [normal("SUM", "price", { format })] });
  expect(plan.metrics[0]!.format).toBe(ValueFormat.INTEGER);
});

it("warns of names that are not known, the first ten with a hint", () => {
  const events = Array.from({ length: 12 }, (_, i) => ({ ...normal("TOTAL_TIMES"), eventName: `gone${i}` }));
  const hints = warningsOf({ events }).map((warning) => warning.includes("known are"));
  expect(hints).toEqual([...Array(10).fill(true), false, false]);
});

it("warns of switches and members without effect", () => {
  const view = { queryFeature: { globalQueryOn: true, approximateOn: true }, firstDayOfWeek: 1 };
  expect(warningsOf({ view })).toEqual([
    "eventView.firstDayOfWeek is unknown and was ignored",
    "eventView.queryFeature.globalQueryOn true has no effect",
  ]);
});
