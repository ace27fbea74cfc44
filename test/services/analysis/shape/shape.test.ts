import { describe, expect, it } from "vitest";
import { EventQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { returnCodes } from "../../../../services/analysis/refusal/refusal.ts";
import {
  EventsUnavailableError,
  type KeyValue,
  type Measure,
  PatternTooLargeError,
  PlanTooLargeError,
  TooManyQueriesError,
} from "../../../../store/events/events.ts";
import { noon } from "../describe/described.ts";
import { analyze, call, engineOn, entriesOf, labelOf, queryOf } from "./answers.ts";
import type { ScriptedGroup } from "./scripted-store.ts";

const byBrand = { groupBy: [{ columnName: "brand", tableType: "event" }] };
const brandLike = (pattern: string) => ({
  columnName: "brand",
  tableType: "event",
  comparator: "regexMatch",
  ftv: [pattern],
});
const metric = (analysis: string, quota = "", more: object = {}) => ({
  type: "normal",
  eventName: "pay",
  analysis,
  quota,
  ...more,
});
/** Returns a group with the same cells for all measures. */
const group = (
  key: readonly KeyValue[],
  cells: readonly (number | null)[],
  total = cells[0],
): ScriptedGroup => ({
  key,
  cells: () => cells,
  total: () => total ?? null,
});
const byAggregate =
  (values: Partial<Record<Measure["aggregate"]["kind"], readonly (number | null)[]>>) =>
  ({ aggregate }: Measure) =>
    values[aggregate.kind]!;

describe("without groups", () => {
  it("there is one, also of nothing", async () => {
    const data = await analyze(
      {},
      { events: [metric("TOTAL_TIMES"), metric("MAX", "price"), metric("SUM", "price")] },
    );
    expect(data.y.map(entriesOf)).toEqual([[[[], [0, 0]]], [[[], [null, null]]], [[[], [0, 0]]]]);
    expect([data.unionGroups.map(({ groupCols }) => groupCols), data.unionGroupNum]).toEqual([[[]], 1]);
  });

  it.each([
    ["SUM", "price", [3, 0]],
    ["AVG", "price", [1.5, null]],
    ["PER_CAPITA_NUM", "price", [3, null]],
    ["PER_CAPITA_TIMES", "", [4, null]],
  ])("%s is finished from what was counted and added", async (analysis, quota, numbers) => {
    const cells = byAggregate({ sum: [3, null], values: [2, 0], distinct: [1, 0], count: [4, 0] });
    const data = await analyze({ groups: () => [{ key: [], cells }] }, { events: [metric(analysis, quota)] });
    expect(entriesOf(data.y[0]!)).toEqual([[[], numbers]]);
  });

  it.each([
    ["pay.TOTAL_TIMES / 0", [null, null]],
    ["pay.price.MAX + 1", [4, null]],
    ["pay.price.SUM - pay.TOTAL_TIMES", [-1, 0]],
    ["1e308 * 1e308", [null, null]],
    ["2 * (1 + 1)", [4, 4]],
  ])("%s is calculated step by step", async (customEvent, numbers) => {
    const cells = byAggregate({ sum: [3, null], max: [3, null], count: [4, 0] });
    const events = [{ type: "customized", eventName: "f", customEvent }];
    const data = await analyze({ groups: () => [{ key: [], cells }] }, { events });
    expect(entriesOf(data.y[0]!)).toEqual([[[], numbers]]);
  });

  it("the warnings are those of the query", async () => {
    const data = await analyze(
      {},
      { body: { zoneOffset: 5.5 }, view: { comparedByTime: true, comparedRecentDay: "3-4" } },
    );
    expect(data.x.map(({ label }) => label)).toEqual(["2026-08-24", "2026-08-25"]);
    expect(data.xCompared.map(({ label }) => label)).toEqual(["2026-08-22", "2026-08-23"]);
    expect(data.info).toMatchObject({
      range: { startTime: "2026-08-24 00:00:00", endTime: "2026-08-25 23:59:59" },
      comparedRange: { startTime: "2026-08-22 00:00:00", endTime: "2026-08-23 23:59:59" },
      zone: { zone: { case: "offsetHours", value: 5.5 } },
      truncated: false,
      approximate: false,
      cached: false,
    });
    expect(Number(data.resultGenerateTime!.seconds) * 1_000).toBe(noon);
  });
});

describe("groups", () => {
  it("are in the order of their totals, ties by text, those without a value last", async () => {
    const groups = () => [
      group(["b"], [1, 1]),
      group([null], [1, 1]),
      group(["none"], [null, null], Number.NaN),
      group(["A"], [1, 1]),
      group(["most"], [0, 7], 7),
      group(["least"], [-9, 0]),
    ];
    const data = await analyze({ groups }, { view: byBrand, events: [metric("MAX", "price")] });
    expect(entriesOf(data.y[0]!).map(([cols]) => cols)).toEqual([
      ["most"],
      [null],
      ["A"],
      ["b"],
      ["least"],
      ["none"],
    ]);
  });

  it("are cut by the limit and counted before", async () => {
    const groups = () => [group(["a"], [1, 1]), group(["b"], [3, 3]), group(["c"], [2, 2])];
    const data = await analyze(
      { groups },
      { view: byBrand, events: [metric("TOTAL_TIMES")], body: { limit: 2 } },
    );
    expect(entriesOf(data.y[0]!).map(([cols]) => cols)).toEqual([["b"], ["c"]]);
    expect([data.y[0]!.groupNum, data.unionGroupNum, data.unionGroups.length]).toEqual([3, 3, 2]);
    expect(data.info).toMatchObject({
      truncated: true,
      warnings: [{ field: "limit", message: "limit 2 omitted 1 of 3 groups of events[0]" }],
    });
  });

  it("are those of the metric's own events, the union those of all", async () => {
    const own = (event: number, count: number) => (measure: Measure) =>
      measure.events?.[0] === event ? [count, 0] : [0, 0];
    const groups = () => [
      { key: ["pay only"], cells: own(2, 5) },
      { key: ["login only"], cells: own(1, 3) },
    ];
    const events = [metric("TOTAL_TIMES"), { ...metric("TOTAL_TIMES"), eventName: "login" }];
    const data = await analyze({ groups }, { view: byBrand, events });
    expect(data.y.map(entriesOf)).toEqual([[[["pay only"], [5, 0]]], [[["login only"], [3, 0]]]]);
    expect(data.unionGroups.map(({ groupCols }) => groupCols.map(labelOf))).toEqual([
      ["pay only"],
      ["login only"],
    ]);
  });

  it("of which one period has no event are there with nothing", async () => {
    const groups = (_: unknown, nth: number) =>
      nth === 0 ? [group(["now"], [1, 2], 3)] : [group(["then"], [5, 6], 11), group(["now"], [1, 0], 1)];
    const view = { ...byBrand, comparedByTime: true, comparedRecentDay: "3-4" };
    const data = await analyze({ groups }, { view, events: [metric("TOTAL_TIMES"), metric("AVG", "price")] });
    expect(entriesOf(data.y[0]!)).toEqual([
      [["then"], [0, 0], [5, 6]],
      [["now"], [1, 2], [1, 0]],
    ]);
    expect(entriesOf(data.y[1]!)[0]).toEqual([["now"], [1, 1], [1, null]]);
  });

  it("are none where there are no events", async () => {
    const data = await analyze({}, { view: byBrand });
    expect([data.y[0]!.entries, data.y[0]!.groupNum, data.unionGroups, data.unionGroupNum]).toEqual([
      [],
      0,
      [],
      0,
    ]);
  });

  it("of one step are ordered by it", async () => {
    const groups = () => [group(["a"], [1]), group(["b"], [2])];
    const data = await analyze({ groups }, { view: { ...byBrand, timeParticleSize: "total" } });
    expect(entriesOf(data.y[0]!)).toEqual([
      [["b"], [2]],
      [["a"], [1]],
    ]);
  });

  it("are labelled by the kind of their keys", async () => {
    const columns = [
      { columnName: "price", tableType: "event", propertyRange: "10,20" },
      { columnName: "paid", tableType: "event" },
      { columnName: "due", tableType: "event" },
      { columnName: "count", tableType: "event" },
      { columnName: "whales", tableType: "cluster" },
    ];
    const groups = () => [
      group([1, true, 1_500, 0.1, false], [1, 1]),
      group([null, null, null, null, true], [1, 1]),
    ];
    const data = await analyze({ groups }, { view: { groupBy: columns } });
    expect(entriesOf(data.y[0]!).map(([cols]) => cols)).toEqual([
      [null, null, null, null, "true"],
      ["[10,20)", "true", "1970-01-01 00:00:01.500", "0.1", "false"],
    ]);
  });

  it("of a number with many values are intervals", async () => {
    const view = { groupBy: [{ columnName: "price", tableType: "event", propertyRangeType: "def" }] };
    const script = { spread: { distinct: 20, range: [0, 12] as const }, groups: () => [group([11], [1, 1])] };
    const data = await analyze(script, { view });
    expect(entriesOf(data.y[0]!)).toEqual([[["[11,+inf)"], [1, 1]]]);
  });
});

describe("a split", () => {
  const eventSplit = { event: { eventName: "pay" }, groupByProp: { columnName: "city", tableType: "user" } };
  const events = [
    metric("TOTAL_TIMES", "", { eventSplitIndexes: [0], eventNameDisplay: "支付" }),
    metric("TOTAL_TIMES"),
  ];
  const groups = ({ keys }: { readonly keys: readonly unknown[] }) =>
    keys.length === 2
      ? [
          group(["a", "X"], [1, 1]),
          group(["b", "Y"], [9, 9]),
          group(["b", null], [1, 1]),
          group(["b", "(null)"], [0, 1]),
        ]
      : [group(["a"], [1, 1]), group(["b"], [10, 10])];

  it("makes a result of each value, the largest first", async () => {
    const data = await analyze({ groups }, { view: { ...byBrand, eventSplit }, events });
    expect(
      data.y.map(({ resultKey, displayName, splitValue }) => [
        resultKey,
        displayName,
        splitValue && labelOf(splitValue),
      ]),
    ).toEqual([
      ["1_pay.TOTAL_TIMES(Y)", "支付(Y)", "Y"],
      ["1_pay.TOTAL_TIMES((null))", "支付((null))", null],
      ["1_pay.TOTAL_TIMES(X)", "支付(X)", "X"],
      ["1_pay.TOTAL_TIMES(\\(null))", "支付(\\(null))", "(null)"],
      ["2_pay.TOTAL_TIMES", "2_pay.TOTAL_TIMES", undefined],
    ]);
    expect(data.y.map(entriesOf)).toEqual([
      [[["b"], [9, 9]]],
      [[["b"], [1, 1]]],
      [[["a"], [1, 1]]],
      [[["b"], [0, 1]]],
      [
        [["b"], [10, 10]],
        [["a"], [1, 1]],
      ],
    ]);
  });

  it("of nothing makes no result", async () => {
    const ungrouped = await analyze({}, { view: { eventSplit }, events: [events[0]!] });
    expect(ungrouped.y).toEqual([]);
    expect(ungrouped.unionGroups.map(({ groupCols }) => groupCols)).toEqual([[]]);
    expect(ungrouped.unionGroupNum).toBe(1);
    const grouped = await analyze({}, { view: { ...byBrand, eventSplit }, events: [events[0]!] });
    expect([grouped.unionGroups, grouped.unionGroupNum]).toEqual([[], 0]);
  });

  it("tells a thousand values and how many more there are", async () => {
    const many = () => Array.from({ length: 1_003 }, (_, i) => group([`v${i}`], [i, i]));
    const data = await analyze({ groups: many }, { view: { eventSplit }, events: [events[0]!] });
    expect([data.y.length, data.info!.truncated]).toEqual([1_000, true]);
    expect(data.info!.warnings.map(({ message }) => message)).toEqual([
      "only 1000 values of the split are returned for each metric, 3 are omitted",
    ]);
  });
});

describe("an engine", () => {
  const query = () => queryOf(EventQuerySchema, { view: byBrand });

  it("keeps nothing of a store", async () => {
    const { engine, held, signals } = engineOn({ groups: () => [group(["a"], [1, 1, 1, 1, 1, 1, 1])] });
    const { signal } = new AbortController();
    await engine.analyze(query(), call(signal));
    expect([held(), signals]).toEqual([0, [signal]]);
  });

  it.each([
    [new TooManyQueriesError("2 run, 8 wait"), returnCodes.busy, "2 run, 8 wait", 1_000],
    [
      new EventsUnavailableError("disk is full"),
      returnCodes.unavailable,
      "the event store is temporarily unavailable",
      undefined,
    ],
    [
      new PlanTooLargeError("the statement has more than 9 characters"),
      returnCodes.parameter,
      expect.stringContaining(
        "query: is too large for the engine: its conditions count once for each metric",
      ),
      undefined,
    ],
  ])("tells what ails its store: %s", async (fault, returnCode, message, retryAfterMs) => {
    await expect(engineOn({ fault }).engine.analyze(query(), call())).rejects.toMatchObject({
      returnCode,
      message,
      retryAfterMs,
    });
  });

  it.each([
    [{ filts: [brandLike("a{9}"), brandLike("a{99}")] }, "eventView.filts[1].ftv[0]"],
    [
      {
        filts: [
          { filterType: "COMPOUND", filts: [brandLike("a{9}")] },
          { ...brandLike("a"), comparator: "equal" },
        ],
      },
      "eventView.filts[0].filts[0].ftv[0]",
    ],
    [{}, "query"],
  ])("names the pattern that the engine has no room for: %j", async (view, field) => {
    const { engine } = engineOn({ fault: new PatternTooLargeError("too large") });
    const asked = engine.analyze(queryOf(EventQuerySchema, { view }), call());
    await expect(asked).rejects.toMatchObject({ returnCode: -1001, violations: [{ field }] });
  });

  it("passes on unforeseen errors", async () => {
    const fault = new Error("out of the blue");
    await expect(engineOn({ fault }).engine.analyze(query(), call())).rejects.toBe(fault);
  });

  it("stops when the signal is aborted", async () => {
    const { engine } = engineOn({});
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(engine.analyze(query(), call(signal))).rejects.toThrow("gone");
  });

  it("refuses an answer that is too large to be sent at once", async () => {
    const cells = new Array<number>(730).fill(0);
    const groups = () => Array.from({ length: 1_000 }, (_, i) => ({ key: [`g${i}`], cells: () => cells }));
    const events = Array.from({ length: 28 }, () => metric("TOTAL_TIMES"));
    const asked = { view: { ...byBrand, recentDay: "1-730" }, events };
    await expect(analyze({ groups }, asked)).rejects.toThrow(
      "limit: the result would have 20440000 values, at most 20000000 are possible",
    );
  });

  it.each([
    [{ limit: 0 }, "limit: 0 must be a whole number from 1 to 10000"],
    [{ limit: 10_001 }, "limit: 10001 must be a whole number from 1 to 10000"],
    [{ timeoutSeconds: 0 }, "timeoutSeconds: 0 must be above 0"],
  ])("refuses %j", async (body, message) => {
    await expect(analyze({}, { body })).rejects.toMatchObject({ returnCode: returnCodes.parameter, message });
  });

  it("knows the version of its data", () => {
    expect(engineOn({}).engine.version(1)).toBe(1);
  });
});
