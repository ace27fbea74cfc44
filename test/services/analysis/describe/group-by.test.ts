import { expect, describe as group, it } from "vitest";
import { compileScan, compileSummaryScan } from "../../../../services/analysis/describe/event-plan.ts";
import { cutKey, type PlannedKey } from "../../../../services/analysis/describe/group-by.ts";
import { intervalLabels, keyOf as keyOfLabel } from "../../../../services/analysis/text-form.ts";
import { describe, projectOf, refusalsOf, warningsOf } from "./described.ts";

const column = (columnName: string, more: object = {}) => ({ columnName, tableType: "event", ...more });
const keyOf = (groupBy: object): PlannedKey => describe({ view: { groupBy: [groupBy] } }).keys[0]!;

it.each([
  [column("brand"), "values", "text"],
  [column("price"), "values", "number"],
  [column("price", { propertyRangeType: "discrete" }), "values", "number"],
  [column("paid"), "values", "boolean"],
  [column("due"), "values", "time"],
  [column("#event_time"), "values", "time"],
  [column("tags"), "values", "text"],
  [column("items"), "values", "text"],
  [column("items.cost"), "values", "number"],
  [column("device.os"), "values", "text"],
  [column("gone"), "values", "text"],
  [column("level", { tableType: "user" }), "values", "number"],
  [column("segment", { tableType: "cluster" }), "values", "text"],
  [column("whales", { tableType: "user_cluster" }), "predicate", "boolean"],
  [column("unknown_cohort", { tableType: "cluster" }), "predicate", "boolean"],
  [column("price", { propertyRange: "10,20" }), "intervals", "intervals"],
  [column("due", { propertyRange: "2026-08-01,2026-08-02 10:00:00" }), "intervals", "intervals"],
])("groups by %j with %s in the form of %s", (groupBy, kind, form) => {
  const planned = keyOf(groupBy);
  expect([planned.key.kind, planned.form.kind]).toEqual([kind, form]);
});

it("keeps both names of a column", () => {
  const { name, displayName } = keyOf(column("brand", { columnDesc: "品牌" }));
  expect([name, displayName]).toEqual(["brand", "品牌"]);
});

group("the summary of a number", () => {
  const def = keyOf(column("price", { propertyRangeType: "def" }));

  it("is asked for where a query leaves the intervals open", () => {
    const needs = [
      column("price", { propertyRangeType: "def" }),
      column("brand", { propertyRangeType: "def" }),
      column("price", { propertyRangeType: "def", propertyRange: "1" }),
    ];
    expect(needs.map((groupBy) => keyOf(groupBy).needsSummary)).toEqual([true, false, false]);
  });

  it("cuts twelve intervals of equal width", () => {
    const { form } = cutKey(def, { distinct: 20, range: [0, 120] });
    expect(intervalLabels(form as Parameters<typeof intervalLabels>[0])).toEqual([
      "(-inf,10)",
      ...Array.from({ length: 10 }, (_, i) => `[${(i + 1) * 10},${(i + 2) * 10})`),
      "[110,+inf)",
    ]);
  });

  it.each([
    [[1269.86, 8882.4], "(-inf,1904)", "[1904,2539)", "[8248,+inf)"],
    [[0.1, 1.3], "(-inf,0.2)", "[0.2,0.3)", "[1.2,+inf)"],
    [[18, 65], "(-inf,21.92)", "[21.92,25.83)", "[61.08,+inf)"],
    [[-1e-7, 1e-7], "(-inf,-8.33e-8)", "[-8.33e-8,-6.67e-8)", "[8.33e-8,+inf)"],
    [
      [0, 1e21],
      "(-inf,83300000000000000000)",
      "[83300000000000000000,166700000000000000000)",
      "[916700000000000000000,+inf)",
    ],
    [
      [1e15, 1e15 + 50],
      "(-inf,1000000000000004.2)",
      "[1000000000000004.2,1000000000000008.2)",
      "[1000000000000045.9,+inf)",
    ],
  ] as const)("cuts %j at numbers of few digits, whose labels name them", (range, ...some) => {
    const { form, key } = cutKey(def, { distinct: 20, range });
    const labels = intervalLabels(form as Parameters<typeof intervalLabels>[0]);
    expect([labels[0], labels[1], labels[11]]).toEqual(some);
    expect(new Set(labels).size).toBe(12);
    expect(labels.map((label) => keyOfLabel(form, label))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const { boundaries } = key as { readonly boundaries: readonly number[] };
    expect(labels.slice(1).map((label) => Number(/^\[([^,]+),/.exec(label)![1]))).toEqual(boundaries);
  });

  it.each([
    [{ distinct: 19, range: [0, 120] as const }],
    [{ distinct: 0, range: undefined }],
    [{ distinct: 20, range: [1, 1 + Number.EPSILON] as const }],
    [{ distinct: 20, range: [-Number.MAX_VALUE, Number.MAX_VALUE] as const }],
  ])("leaves values alone when it is %j", (summary) => {
    expect(cutKey(def, summary).key.kind).toBe("values");
  });

  it("is that of both ranges and all metrics", () => {
    const events = ["login", "pay"].map((eventName) => ({
      type: "normal",
      eventName,
      analysis: "TOTAL_TIMES",
    }));
    const view = { comparedByTime: true, comparedRecentDay: "8-14", groupBy: [column("price")] };
    const { buckets, keys, measures } = compileSummaryScan(describe({ view, events }));
    expect([buckets.windows?.length, keys, measures.map((measure) => measure.events)]).toEqual([
      2,
      [],
      [[1], [2]],
    ]);
  });
});

it.each([
  [
    column("brand", { propertyRange: "1,2" }),
    'propertyRange: "1,2" is only valid for numbers and times, and this is a text column',
  ],
  [
    column("price", { propertyRange: "2,1" }),
    'propertyRange: "2,1" must be ascending numbers, joined by commas',
  ],
  [column("price", { propertyRange: "1,1" }), "must be ascending numbers"],
  [column("price", { propertyRange: "1;2" }), "must be ascending numbers"],
  [column("price", { propertyRange: "1,1e400" }), "must be ascending numbers"],
  [column("due", { propertyRange: "2026-02-30" }), "must be ascending times"],
  [
    column("price", { propertyRange: Array.from({ length: 501 }, (_, i) => i).join(",") }),
    "has 501 boundaries, at most 500 are possible",
  ],
  [column(""), "eventView.groupBy[0].columnName: is required"],
  [column("items.made"), "is a time in an object group, which cannot be grouped by"],
  [{ columnName: "brand" }, "eventView.groupBy[0].tableType: is required, one of"],
])("refuses %j", (groupBy, refusal) => {
  const refusals = refusalsOf({ view: { groupBy: [groupBy] } });
  expect(refusals.filter((one) => one.includes(refusal))).toHaveLength(1);
});

it("refuses too many columns", () => {
  expect(refusalsOf({ view: { groupBy: Array.from({ length: 101 }, () => column("brand")) } })).toEqual([
    "eventView.groupBy: has 101 properties, at most 100 are possible",
  ]);
});

it.each([
  [
    column("price", { propertyRangeType: "discrete", propertyRange: "1" }),
    'propertyRange has no effect with the propertyRangeType "discrete"',
  ],
  [
    column("price", { propertyRangeType: "def", propertyRange: "1" }),
    "propertyRangeType has no effect together with propertyRange",
  ],
  [column("price", { propertyRangeType: "custom" }), "propertyRangeType has no effect without propertyRange"],
  [column("brand", { propertyRangeType: "def" }), "propertyRangeType has no effect on a text column"],
  [column("due", { propertyRangeType: "def" }), "propertyRangeType has no effect on a time column"],
  [
    { columnName: "whales", tableType: "cluster", propertyRange: "1" },
    "propertyRange has no effect on a cohort column",
  ],
  [
    { columnName: "whales", tableType: "cluster", propertyRangeType: "def" },
    "propertyRangeType has no effect on a cohort column",
  ],
  [
    column("brand", { specifiedClusterDate: "2026-08-20" }),
    'specifiedClusterDate has no effect with the tableType "event"',
  ],
  [
    { columnName: "city", tableType: "user", specifiedClusterDate: "2026-08-20" },
    'specifiedClusterDate has no effect with the tableType "user"',
  ],
])("warns of what has no effect in %j", (groupBy, warning) => {
  expect(warningsOf({ view: { groupBy: [groupBy] } })).toEqual([`eventView.groupBy[0].${warning}`]);
});

it.each([
  column("price", { propertyRangeType: "def" }),
  column("price", { propertyRangeType: "custom", propertyRange: "1" }),
  column("brand", { propertyRangeType: "discrete" }),
  { columnName: "whales", tableType: "cluster", specifiedClusterDate: "2026-08-20" },
])("warns of nothing in %j", (groupBy) => {
  expect(warningsOf({ view: { groupBy: [groupBy] } })).toEqual([]);
});

group("the event split", () => {
  const split = (more: object) => ({
    eventSplit: { event: { eventName: "pay" }, groupByProp: column("brand"), ...more },
  });

  it("comes after the groups in the keys of a scan", () => {
    const metric = { eventSplitIndexes: [0] };
    const plan = describe({ view: { ...split({}), groupBy: [column("paid")] }, metric });
    const { keys } = compileScan(plan, plan.scans[0]!, plan.periods[0]!);
    expect(keys).toMatchObject([
      { of: { property: { name: "paid" } } },
      { of: { property: { name: "brand" } } },
    ]);
  });

  it.each([
    [{ eventSplit: {} }, undefined],
    [split({}), "brand"],
  ])("of %j is by %s", (view, name) => {
    expect(describe({ view }).split?.name).toBe(name);
  });

  const pays = { type: "normal", eventName: "pay", analysis: "TOTAL_TIMES", eventSplitIndexes: [0] };
  const formula = {
    type: "customized",
    eventName: "f",
    customEvent: "pay.TOTAL_TIMES / pay.TRIG_USER_NUM",
    eventSplitIndexes: [0],
  };
  it.each([
    ["all of it", split({}), [pays], []],
    ["all operands", split({}), [{ ...formula, eventSplitIndexes: [1, 0] }], []],
    [
      "indexes without a property",
      { eventSplit: {} },
      [pays],
      ["events[0].eventSplitIndexes has no effect without eventView.eventSplit"],
    ],
    [
      "a property without indexes",
      split({}),
      [{ ...pays, eventSplitIndexes: [] }],
      ["eventView.eventSplit has no effect, since no metric has eventSplitIndexes"],
    ],
    [
      "some operands",
      split({}),
      [{ ...formula, eventSplitIndexes: [1, 1] }],
      ["events[0].eventSplitIndexes names 1 of the formula's 2 operands, which are all split"],
    ],
    [
      "another event",
      split({ event: { eventName: "login" } }),
      [{ ...pays, eventName: "login" }, pays, { ...pays, eventSplitIndexes: [] }],
      [
        'eventView.eventSplit.event.eventName "login" has no effect on events[1], which is split by its own events',
      ],
    ],
    ["any event", split({ event: { eventName: "anyEvent" } }), [pays], []],
  ])("takes or warns of %s", (_, view, events, warnings) => {
    expect(warningsOf({ view, events })).toEqual(warnings);
  });

  it.each([
    [split({ event: undefined }), "eventView.eventSplit.event.eventName: is required"],
    [split({ groupByProp: undefined }), "eventView.eventSplit.groupByProp: is required"],
  ])("refuses %j", (view, refusal) => {
    expect(refusalsOf({ view })).toEqual([refusal]);
  });
});

group("totals", () => {
  const totalsOf = (view: object) => {
    const plan = describe({ view });
    return compileScan(plan, plan.scans[0]!, plan.periods[0]!).totals;
  };

  it.each([
    ["of groups over several steps", { groupBy: [column("brand")] }, true],
    ["of groups with one step", { groupBy: [column("brand")], recentDay: "1-1" }, false],
    ["without groups", {}, false],
  ])("are %s", (_, view, totals) => {
    expect(totalsOf(view)).toBe(totals);
  });
});

it("hands the zone's whole history on only where properties may be long ago", () => {
  const steps = (view: object) => {
    const plan = describe({ view }, projectOf({}, "Europe/Berlin"));
    return compileScan(plan, plan.scans[0]!, plan.periods[0]!).zone.length;
  };
  expect(steps({})).toBe(1);
  expect(steps({ groupBy: [column("due")] })).toBeGreaterThan(100);
});
