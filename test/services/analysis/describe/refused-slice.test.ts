import { expect, describe as group, it } from "vitest";
import { EventUserQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { createProblems } from "../../../../services/analysis/describe/problems.ts";
import { checkColumns, checkEventIndex } from "../../../../services/analysis/describe/user-slice.ts";
import { readBody } from "../rest/read-body.ts";
import { bodyOf, schema } from "./described.ts";
import { byBrand, slice } from "./slices.ts";

it.each([
  [
    {},
    "2026-08",
    [],
    'sliceDate: "2026-08" must be a label of the x axis: "2026-08-19", "2026-08-20", "2026-08-21"',
  ],
  [{}, "2026-02-30", [], 'sliceDate: "2026-02-30" must be a label of the x axis'],
  [{}, "2026-08-20 12:00:00", [], 'sliceDate: "2026-08-20 12:00:00" must be a label of the x axis'],
  [{ timeParticleSize: "hour" }, "2026-08-20", [], 'sliceDate: "2026-08-20" must be a label of the x axis'],
  [{ timeParticleSize: "week" }, "2026-08-20", [], 'sliceDate: "2026-08-20" must be a label of the x axis'],
  [{ timeParticleSize: "total" }, "today", [], 'sliceDate: "today" must be a label of the x axis'],
  [
    { timeParticleSize: "total" },
    "2026-08-19~now",
    [],
    'sliceDate: "2026-08-19~now" must be a label of the x axis',
  ],
  [
    { recentDay: "1-20" },
    "20 August",
    [],
    'must be a label of the x axis: "2026-08-06", "2026-08-07", "2026-08-08", "2026-08-09", "2026-08-10", "2026-08-11" … "2026-08-20"',
  ],
  [byBrand, "", [], 'sliceGroupVal: must have 1 label, for "brand", not 0'],
  [byBrand, "", ["a", "b"], 'sliceGroupVal: must have 1 label, for "brand", not 2'],
  [{}, "", ["a"], 'sliceGroupVal: must have 0 labels, not 1, or "Overall", "总体"'],
  [
    { groupBy: [{ columnName: "price", tableType: "event" }] },
    "",
    ["9007199254740993"],
    'sliceGroupVal[0]: "9007199254740993" must be a label of "price": a number',
  ],
  [
    { groupBy: [{ columnName: "price", tableType: "event" }] },
    "",
    ["many"],
    'sliceGroupVal[0]: "many" must be a label of "price": a number',
  ],
  [
    { groupBy: [{ columnName: "price", tableType: "event", propertyRange: "10,20" }] },
    "",
    ["[10,30)"],
    'sliceGroupVal[0]: "[10,30)" must be a label of "price": one of "(-inf,10)", "[10,20)", "[20,+inf)"',
  ],
])("refuses of %j the slice %j %j", (view, date, labels, refusal) => {
  expect(() => slice({ view }, date, labels)).toThrow(refusal);
});

it.each([
  [undefined, "eventIndex: is required"],
  [-1, "eventIndex: -1 must be the index of a metric, from 0 to 0"],
  [1, "eventIndex: 1 must be the index of a metric, from 0 to 0"],
])("refuses the metric %j", (eventIndex, refusal) => {
  const { query } = readBody(EventUserQuerySchema, { ...bodyOf({}), eventIndex });
  const problems = createProblems();
  checkEventIndex(query, problems);
  expect(() => problems.throwIfAny()).toThrow(refusal);
});

group("columns of a table of users", () => {
  const check = (columns: readonly string[]) => {
    const problems = createProblems();
    checkColumns(columns, schema, problems);
    problems.throwIfAny();
    return problems.warnings.map(({ message }) => message);
  };

  it.each([
    [["#user_id", "#account_id", "#distinct_id", "Level"], []],
    [
      ["price"],
      [
        'selectedColumns[0]: user property "price" is not known, it has no values; valid are "#user_id", "#account_id", "#distinct_id", "level", "birthday", "city"',
      ],
    ],
  ])("%j are warned of by %j", (columns, warnings) => {
    expect(check(columns)).toEqual(warnings);
  });

  it.each([
    [[], "selectedColumns: must name 1 to 500 columns, not 0"],
    [[""], 'selectedColumns[0]: "" must be the name of a user property'],
    [Array.from({ length: 501 }, () => "level"), "selectedColumns: must name 1 to 500 columns, not 501"],
  ])("are refused", (columns, refusal) => {
    expect(() => check(columns)).toThrow(refusal);
  });
});
