import { describe, expect, it } from "vitest";
import type { Measure } from "../../../../store/events/events.ts";
import { noon } from "../describe/described.ts";
import { analyze, entriesOf, labelOf } from "./answers.ts";
import { byBrand, group, metric } from "./plans.ts";

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
      { key: ["both"], cells: () => [1, 0] },
    ];
    const events = [metric("TOTAL_TIMES"), { ...metric("TOTAL_TIMES"), eventName: "login" }];
    const data = await analyze({ groups }, { view: byBrand, events });
    expect(data.y.map(entriesOf)).toEqual([
      [
        [["pay only"], [5, 0]],
        [["both"], [1, 0]],
      ],
      [
        [["login only"], [3, 0]],
        [["both"], [1, 0]],
      ],
    ]);
    expect(data.unionGroups.map(({ groupCols }) => groupCols.map(labelOf))).toEqual([
      ["pay only"],
      ["both"],
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
    const script = {
      summary: { distinct: 20, range: [0, 12] as const },
      groups: () => [group([11], [1, 1])],
    };
    const data = await analyze(script, { view });
    expect(entriesOf(data.y[0]!)).toEqual([[["[11,+inf)"], [1, 1]]]);
  });
});
