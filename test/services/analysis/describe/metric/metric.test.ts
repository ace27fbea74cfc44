import { expect, describe as group, it } from "vitest";
import { ValueFormat } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { describe, projectOf, refusalsOf, warningsOf } from "../described.ts";
import { formula, normal, show } from "./metrics.ts";

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
      'events[0].metricName: "mau" is not a metric of the project, the nearest is "dau", valid are "dau", "twice", "loop", "pool"',
    ]);
    expect(refusalsOf({ events: [named("loop")] }, project)[0]).toContain(
      'needs definitions that refer to each other: "$metric.loop" > "$metric.pool" > "$metric.loop"',
    );
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
  const hints = warningsOf({ events }).map((warning) => warning.includes("valid are"));
  expect(hints).toEqual([...Array(10).fill(true), false, false]);
});

it("warns of switches and members without effect", () => {
  const view = { queryFeature: { globalQueryOn: true, approximateOn: true }, firstDayOfWeek: 1 };
  expect(warningsOf({ view })).toEqual([
    "eventView.firstDayOfWeek is unknown and was ignored",
    "eventView.queryFeature.globalQueryOn true has no effect",
  ]);
});
