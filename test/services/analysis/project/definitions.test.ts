import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, describe as group, it, onTestFinished } from "vitest";
import { z } from "zod";
import { projectAnalysisShape } from "../../../../services/analysis/project/config.ts";
import { defineProject } from "../../../../services/analysis/project/definitions.ts";
import { readDimensionFile } from "../../../../services/analysis/project/dimension-file.ts";
import { describe, projectOf, refusalsOf, warningsOf } from "../describe/described.ts";

const adults = { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["17"] }] };
const declared = {
  cohorts: { adults, whales: adults },
  tags: { size: [{ value: "large", ...adults }] },
  dimensions: [
    {
      property: "brand",
      key: "id",
      rows: [
        { id: "a", origin: "here" },
        { id: "b", origin: "" },
      ],
    },
    { property: "LEVEL", table: "user", rows: [{ LEVEL: 1, rank: "first" }] },
  ],
  virtualProperties: {
    total: { expression: "price * count" },
    twice: { expression: "#vp@total * 2" },
    mixed: { expression: "price + level" },
    words: { of: "count", values: { "1": "one" } },
    place: { first: ["brand", "city"] },
    kind: {
      cases: [
        { value: "paid", filts: [{ columnName: "paid", tableType: "event", comparator: "isTrue", ftv: [] }] },
      ],
    },
    rank: { table: "user", expression: "level + 1" },
    self: { expression: "#vp@self + 1" },
    odd: { expression: "price + brand" },
    broken: { expression: "price +" },
    unlike: { first: ["brand", "price"] },
  },
};
const project = projectOf(declared);
const keyOf = (columnName: string, tableType = "event", more: object = {}) =>
  describe({ view: { groupBy: [{ columnName, tableType, ...more }] } }, project).keys[0]!;

group("columns by definition", () => {
  it.each([
    ["#vp@total", "event", { of: { kind: "arithmetic", operator: "*" } }],
    ["#vp@twice", "event", { of: { kind: "arithmetic", left: { kind: "arithmetic", operator: "*" } } }],
    ["#vp@mixed", "event", { of: { right: { property: { table: "user" } } } }],
    ["#vp@words", "event", { of: { kind: "lookup", texts: new Map([["1", "one"]]) } }],
    [
      "#vp@place",
      "event",
      { of: { kind: "first", of: [{ property: { table: "event" } }, { property: { table: "user" } }] } },
    ],
    ["#vp@kind", "event", { of: { kind: "case", branches: [{ text: "paid" }] } }],
    ["#vp@rank", "user", { of: { kind: "arithmetic" } }],
    ["brand@origin", "event", { of: { kind: "lookup", texts: new Map([["a", "here"]]) } }],
    ["level@rank", "user", { of: { kind: "lookup", texts: new Map([["1", "first"]]) } }],
    ["adults", "cluster", { kind: "predicate", of: { kind: "compare" } }],
    ["size", "cluster", { of: { kind: "case" } }],
  ])("%s of the %s is %j", (name, table, key) => {
    expect(keyOf(name, table).key).toMatchObject(key);
  });

  it("prefer what is declared to what is imported, unless the query says so", () => {
    expect(keyOf("whales", "cluster").key).toMatchObject({ of: { kind: "compare" } });
    const imported = { subTableType: "cluster_by_import", specifiedClusterDate: "2026-08-02" };
    expect(keyOf("whales", "user_cluster", imported).key).toMatchObject({
      of: { kind: "inCohort", cohort: { name: "whales", day: "2026-08-02" } },
    });
  });

  it.each([
    ["#vp@self", 'needs definitions that refer to each other: "#vp@self" > "#vp@self"'],
    ["#vp@odd", 'is calculated from "brand", which is a text column, not a number'],
    ["#vp@broken", 'is calculated by "price +", which lacks a number or an operand at its end'],
    ["#vp@unlike", "is the first of columns of different types: text column, number column"],
  ])("are refused when they can't be: %s", (columnName, refusal) => {
    const view = { groupBy: [{ columnName, tableType: "event" }] };
    expect(refusalsOf({ view }, project)).toEqual([`eventView.groupBy[0].columnName: ${refusal}`]);
  });

  it.each([
    ["#vp@gone", "event", 'virtual property "#vp@gone" is not known, it has no values; there are none'],
    [
      "brand@gone",
      "event",
      'dimension column "brand@gone" is not known, it has no values; valid are "brand@origin"',
    ],
    [
      "gone",
      "cluster",
      'cohort or tag "gone" is not known, it has no members; valid are "adults", "whales", "size", "segment"',
    ],
  ])("are warned of when they are not declared: %s", (columnName, tableType, warning) => {
    const view = { groupBy: [{ columnName, tableType }] };
    const plain = { ...project, virtualProperties: new Map() };
    expect(warningsOf({ view }, plain)).toEqual([`eventView.groupBy[0].columnName: ${warning}`]);
  });

  it.each([
    [
      { columnName: "segment", specifiedClusterDate: "2026-07-31" },
      ': version of "segment" "2026-07-31" is not known, there are no members before the first one; valid are "2026-08-01"',
    ],
    [
      { columnName: "adults", specifiedClusterDate: "2026-08-02" },
      ' has no effect on "adults", which is declared and has no versions',
    ],
  ])("have no version of a day: %j", (column, warning) => {
    const view = { groupBy: [{ ...column, tableType: "cluster" }] };
    expect(warningsOf({ view }, project)).toEqual([`eventView.groupBy[0].specifiedClusterDate${warning}`]);
  });

  it("are listed up to a number of them where one is wrong", () => {
    const names = Array.from({ length: 32 }, (_, i) => [`c${i}`, adults]);
    const view = { groupBy: [{ columnName: "gone", tableType: "cluster" }] };
    const many = projectOf({ cohorts: Object.fromEntries(names) });
    expect(warningsOf({ view }, many).join()).toMatch(/valid are "c0", .*"c29" and 4 more$/);
  });
});

group("the configuration", () => {
  const schema = z.strictObject(projectAnalysisShape);
  const faultsOf = (config: object) => schema.safeParse(config).error?.issues.map(({ message }) => message);

  it.each([
    [{ weekStart: "friday" }, 'Invalid option: expected one of "monday"|"sunday"'],
    [
      { cohorts: { a: { filts: [{ columnName: "x", tableType: "user", comparator: "above", ftv: [1] }] } } },
      'comparator: "above" is unknown, valid are "equal", "notEqual"',
    ],
    [{ cohorts: { a: { filts: [{ columnname: "x" }] } } }, "columnname is unknown"],
    [{ metrics: { a: { analysis: "COUNT" } } }, 'analysis: "COUNT" is unknown, valid are "TOTAL_TIMES"'],
    [{ virtualProperties: { a: {} } }, "needs one of expression, of with values, first, cases"],
    [{ virtualProperties: { a: { of: "x" } } }, "needs one of expression, of with values, first, cases"],
    [{ virtualProperties: { a: { expression: "1", first: ["x"] } } }, "needs one of"],
    [{ dimensions: [{ property: "x" }] }, "needs either rows or file"],
  ])("refuses %j", (config, message) => {
    expect(faultsOf(config)?.join()).toContain(message);
  });

  it("refuses cohorts and tags that look at events", () => {
    const ofEvents = { filts: [{ columnName: "x", tableType: "event", comparator: "isNull", ftv: [] }] };
    const nested = { filts: [{ filterType: "COMPOUND", filts: ofEvents.filts }] };
    expect(() => projectOf({ cohorts: { a: ofEvents } })).toThrow(
      'cohort a: column "x" must be of tableType "user"',
    );
    expect(() => projectOf({ tags: { a: [{ value: "v", ...nested }] } })).toThrow(
      'tag a: column "x" must be',
    );
  });

  it("knows whether it needs the imported lists", () => {
    const inWhales = {
      filts: [{ columnName: "whales", tableType: "cluster", comparator: "belongToCluster", ftv: [] }],
    };
    const uses = (config: object) => projectOf(config).usesCohorts;
    expect([uses(declared), uses({ cohorts: { both: inWhales } })]).toEqual([false, true]);
  });
});

group("a dimension table in a file", () => {
  const write = (text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), "engage-dimension-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "table.csv"), text);
    return join(folder, "table.csv");
  };

  it("is read as CSV", () => {
    const file = write('\uFEFFbrand,origin\r\na,"here, there"\n\nb,elsewhere\r\n');
    const config = z.strictObject(projectAnalysisShape).parse({ dimensions: [{ property: "brand", file }] });
    const { dimensions } = defineProject({ ...config, id: 1, zone: "+00:00" }, readDimensionFile);
    expect(dimensions.get("event:brand@origin")).toEqual(
      new Map([
        ["a", "here, there"],
        ["b", "elsewhere"],
      ]),
    );
  });

  it.each([["a,b\n1\n"], ['a,b\n"1,2\n']])("is refused when it is none: %j", (text) => {
    const file = write(text);
    expect(() => readDimensionFile(file)).toThrow(`dimension table ${file}: `);
  });

  it("is refused when it is not there", () => {
    expect(() => readDimensionFile("/nowhere/table.csv")).toThrow(
      "dimension table /nowhere/table.csv: no such file or folder",
    );
  });
});
