import { expect, describe as group, it } from "vitest";
import { formatSecond } from "../../../../base/time/local-time.ts";
import { EventUserDownloadQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { createProblems } from "../../../../services/analysis/describe/problems.ts";
import { checkSlice } from "../../../../services/analysis/describe/user-slice.ts";
import { readBody } from "../rest/read-body.ts";
import { bodyOf, describe } from "./described.ts";
import { byBrand, slice } from "./slices.ts";

const localsOf = (found: ReturnType<typeof slice>) => found!.scan.buckets.localEdges.map(formatSecond);

it("looks into one step", () => {
  const found = slice({ view: byBrand }, "2026-08-20", ["a"]);
  expect(localsOf(found)).toEqual(["2026-08-20 00:00:00", "2026-08-21 00:00:00"]);
  expect(found!.group).toEqual(["a"]);
});

it("looks into the whole range without a label, or with that of the total", () => {
  const whole = ["2026-08-19 00:00:00", "2026-08-26 00:00:00"];
  const total = { view: { timeParticleSize: "total" } };
  expect(localsOf(slice({}, "", []))).toEqual(whole);
  expect(localsOf(slice(total, "", []))).toEqual(whole);
  expect(localsOf(slice(total, "2026-08-19~2026-08-25", []))).toEqual(whole);
});

it.each([
  ["day", "2026-08-20 00:00:00", "2026-08-20", "2026-08-21"],
  ["day", "2026-08-20 00:00", "2026-08-20", "2026-08-21"],
  ["hour", "2026-08-20 14:00:00.000", "2026-08-20 14:00:00", "2026-08-20 15:00:00"],
  ["week", "2026-08-17 00:00:00", "2026-08-19", "2026-08-24"],
  ["month", "2026-08-01", "2026-08-19", "2026-08-26"],
  ["year", "2026-01-01", "2026-08-19", "2026-08-26"],
])("looks into the %s that starts at %s", (timeParticleSize, date, start, end) => {
  const locals = localsOf(slice({ view: { timeParticleSize } }, date, []));
  expect(locals).toEqual([start, end].map((text) => text + " 00:00:00".slice(text.length - 10)));
});

group("a date that the axis doesn't have", () => {
  const outside = [
    ["day", "2021-12-27"],
    ["day", "2026-08-26 00:00:00"],
    ["week", "2021-12-27"],
    ["month", "2021-12"],
    ["year", "2021"],
    ["hour", "2021-12-27 05:00"],
  ];

  /** The warnings of a query for the users at that date. */
  function tell(timeParticleSize: string, dates: object, tellOutside: "warn" | "refuse" = "warn") {
    const asked = { view: { timeParticleSize } };
    const body = { ...bodyOf(asked), sliceGroupVal: [], eventIndex: 0, selectedColumns: ["level"], ...dates };
    const { query } = readBody(EventUserDownloadQuerySchema, body);
    const problems = createProblems();
    checkSlice(query, describe(asked), problems, tellOutside);
    problems.throwIfAny();
    return problems.warnings.map(({ message }) => message);
  }

  it.each(outside)("by %s lists no users, %s", (timeParticleSize, date) => {
    expect(slice({ view: { timeParticleSize } }, date!, [])).toBeUndefined();
    const lead = (field: string) =>
      expect.stringContaining(
        `${field}: "${date}" is not on the x axis, so no users are listed; its labels are "`,
      );
    expect(tell(timeParticleSize!, { sliceDate: date })).toEqual([lead("sliceDate")]);
    expect(tell(timeParticleSize!, { eventDate: date })).toEqual([lead("eventDate")]);
  });

  it.each([...outside, ["total", "2026-08-20"]])(
    "by %s is refused where nobody reads warnings, %s",
    (timeParticleSize, sliceDate) => {
      expect(() => tell(timeParticleSize!, { sliceDate }, "refuse")).toThrow("must be a label of the x axis");
    },
  );

  it.each(["2026-08-20", "2021-12-27 00:00:00", "2021", "2026-08-01~2026-08-02"])(
    "is passed over with the total, %s",
    (sliceDate) => {
      const total = { view: { timeParticleSize: "total" } };
      expect(localsOf(slice(total, sliceDate, []))).toEqual(["2026-08-19 00:00:00", "2026-08-26 00:00:00"]);
      const warning = 'sliceDate has no effect with the timeParticleSize "total"';
      expect(tell("total", { sliceDate })).toEqual([warning]);
    },
  );

  it("is reported for each of the two fields", () => {
    expect(tell("day", { sliceDate: "2026-08-20", eventDate: "2026-08-21" })).toEqual([
      "eventDate has no effect together with sliceDate",
    ]);
  });
});

it("looks into the range of comparison where its label is given", () => {
  const view = { comparedByTime: true, comparedRecentDay: "8-14" };
  expect(localsOf(slice({ view }, "2026-08-12", []))).toEqual(["2026-08-12 00:00:00", "2026-08-13 00:00:00"]);
});

it.each([
  [{}, [], []],
  [{}, ["Overall"], []],
  [{}, ["总体"], []],
  [byBrand, ["(null)"], [null]],
  [byBrand, [null], [null]],
  [{ groupBy: [{ columnName: "price", tableType: "event" }] }, [1.5], [1.5]],
  [{ groupBy: [{ columnName: "price", tableType: "event", propertyRange: "10" }] }, ["[10,+inf)"], [1]],
  [{ groupBy: [{ columnName: "paid", tableType: "event" }] }, ["true"], [true]],
  [{ groupBy: [{ columnName: "due", tableType: "event" }] }, ["1970-01-01 00:00:01"], [1_000]],
  [{ groupBy: [{ columnName: "whales", tableType: "cluster" }] }, ["false"], [false]],
])("with %j the labels %j mean the group %j", (view, labels, keys) => {
  expect(slice({ view }, "", labels)!.group).toEqual(keys);
});

group("of a split metric", () => {
  const groupByProp = { columnName: "paid", tableType: "event" };
  const eventSplit = { event: { eventName: "pay" }, groupByProp };
  const metric = { eventSplitIndexes: [0] };
  const ask = (view: object, labels: readonly unknown[]) =>
    slice({ view: { ...view, eventSplit }, metric }, "", [...labels]);

  it.each([
    [{}, [], []],
    [{}, ["Overall"], []],
    [{}, ["true"], [true]],
    [{}, ["(null)"], [null]],
    [{}, ["Overall", "true"], [true]],
    [byBrand, ["a"], ["a"]],
    [byBrand, ["a", "false"], ["a", false]],
    [byBrand, ["(null)", null], [null, null]],
  ])("with %j the labels %j mean %j", (view, labels, values) => {
    const found = ask(view, labels)!;
    expect(found.group).toEqual(values);
    expect(found.scan.keys).toHaveLength(values.length);
  });

  it.each([
    [{}, ["a"], 'sliceGroupVal[0]: "a" must be a label of "paid": "true" or "false"'],
    [byBrand, ["a", "b"], 'sliceGroupVal[1]: "b" must be a label of "paid": "true" or "false"'],
    [
      byBrand,
      [],
      'sliceGroupVal: must have 1 label, for "brand", not 0; one more may follow, the value of the split "paid"',
    ],
    [{}, ["Overall", "true", "x"], "sliceGroupVal: must have 0 labels, not 3"],
  ])("refuses with %j the labels %j", (view, labels, refusal) => {
    expect(() => ask(view, labels)).toThrow(refusal);
  });

  it("takes no label of the split for a metric that is not split", () => {
    const asked = { view: { ...byBrand, eventSplit } };
    expect(() => slice(asked, "", ["a", "true"])).toThrow('must have 1 label, for "brand", not 2');
  });
});

it("has the events of all operands of the metric that is asked for", () => {
  const events = [
    { type: "normal", eventName: "pay", analysis: "TOTAL_TIMES" },
    { type: "customized", eventName: "ratio", customEvent: "pay.TOTAL_TIMES / login.TRIG_USER_NUM" },
  ];
  const eventsOf = (index: number) =>
    slice({ events }, "", [], index)!.scan.measures.map((measure) => measure.events);
  expect([eventsOf(0), eventsOf(1)]).toEqual([[[2]], [[2], [1]]]);
});

it("has no events for a metric of numbers alone", () => {
  expect(
    slice({ events: [{ type: "customized", eventName: "one", customEvent: "1" }] }, "", []),
  ).toBeUndefined();
});

group("with windows of days", () => {
  const lastTwo = { quotaTimeRanges: [{ index: 0, type: "LAST_DAYS", params: ["2"] }] };
  const windowsOf = (found: ReturnType<typeof slice>) =>
    found!.scan.buckets.windows!.map((window) => window.map(formatSecond));

  it("looks into the days of the step's window", () => {
    const found = slice({ metric: lastTwo }, "2026-08-20", []);
    expect(windowsOf(found)).toEqual([["2026-08-18 00:00:00", "2026-08-20 00:00:00"]]);
    expect(found!.scan.measures.map(({ where }) => where.kind)).toEqual(["always"]);
  });

  it("joins the windows of all steps", () => {
    expect(windowsOf(slice({ metric: lastTwo }, "", []))).toEqual([
      ["2026-08-17 00:00:00", "2026-08-25 00:00:00"],
    ]);
  });

  it("holds each operand to its own days", () => {
    const customEvent = "pay.TOTAL_TIMES / login.TOTAL_TIMES";
    const events = [{ type: "customized", eventName: "ratio", customEvent, ...lastTwo }];
    const found = slice({ events }, "2026-08-20", []);
    expect(windowsOf(found)).toEqual([["2026-08-18 00:00:00", "2026-08-21 00:00:00"]]);
    expect(found!.scan.measures.map(({ where }) => JSON.stringify(where).match(/"value":\d+/g))).toEqual(
      [
        ["2026-08-18", "2026-08-20"],
        ["2026-08-20", "2026-08-21"],
      ].map((days) => days.map((day) => `"value":${Date.parse(day)}`)),
    );
  });
});
