import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failedSumForm } from "../../../../../store/events/duckdb/errors.ts";
import { bindStatement, duckdbDialect } from "../../../../../store/events/duckdb/query/dialect.ts";
import type { ScalarType } from "../../../../../store/events/sql/dialect.ts";
import {
  partNames,
  splitValue,
  sumParts,
  valueOfParts,
} from "../../../../../store/events/sql/measure/exact-sum.ts";
import { Parameters } from "../../../../../store/events/sql/parameters.ts";
import type { SumForm } from "../../../../../store/events/sql/sum-forms.ts";

type Result = number | null | `${SumForm | undefined} failed`;

let instance: DuckDBInstance;

beforeAll(async () => {
  instance = await DuckDBInstance.create();
});
afterAll(() => instance.closeSync());

describe("a sum in each form", () => {
  async function sumOf(numbers: readonly number[], form: SumForm): Promise<Result> {
    const sum = { dialect: duckdbDialect, form };
    const parameters = new Parameters(duckdbDialect);
    const rows = `SELECT unnest(${parameters.bindList("number", numbers)}) AS v`;
    const parts = sumParts(splitValue("v", sum), "v <> 7", "s", sum);
    const sql = `SELECT ${valueOfParts(partNames("s", sum), sum)} AS y FROM (SELECT ${parts.join(", ")} FROM (${rows}) r) p`;
    const connection = await instance.connect();
    try {
      const rows = await connection.run(...bindStatement(parameters.finish(sql)));
      return (await rows.getRowsJS())[0]![0] as number | null;
    } catch (error) {
      return `${failedSumForm(error)} failed`;
    } finally {
      connection.closeSync();
    }
  }

  it.each<[string, readonly number[], decimal: Result, split: Result, wide: Result]>([
    ["tenths", [0.1, 0.2], 0.3, 0.3, 0.3],
    ["millionths", [0.000001, 1234.567891], 1234.567892, 1234.567892, 1234.567892],
    ["whole numbers of either sign", [1e6, -3, 0, -0], 999_997, 999_997, 999_997],
    ["nothing", [], null, null, null],
    ["rows that the filter leaves out", [7], null, null, null],
    ["a third", [1 / 3], "decimal failed", 1 / 3, 1 / 3],
    ["a computed number beside 0.3", [0.1 + 0.2], "decimal failed", 0.1 + 0.2, 0.1 + 0.2],
    ["remainders that cancel out", [0.5 + 2 ** -52, 0.5 - 2 ** -52], "decimal failed", 1, 1],
    ["half a millionth", [0.0000005], "decimal failed", 0.0000005, 0.0000005],
    ["the largest exact millionths", [9_007_199_254], 9_007_199_254, 9_007_199_254, 9_007_199_254],
    ["larger numbers that cancel out", [5e9, 5e9, -1e10 + 1], "decimal failed", 1, 1],
    ["a number above all millionths", [1e10, 0.5], "decimal failed", "split failed", 10_000_000_000.5],
    ["a number without millionths", [1e305], "decimal failed", "split failed", 1e305],
  ])("of %s", async (_what, numbers, ...expected) => {
    const forms = ["decimal", "split", "wide"] as const;
    expect(await Promise.all(forms.map((form) => sumOf(numbers, form)))).toEqual(expected);
  });
});

type Element = string | number | boolean | null;

describe("the distinct elements of a list", () => {
  const written = (list: readonly Element[] | null, type: string): string =>
    list === null ? `NULL::${type}[]` : `${JSON.stringify(list).replaceAll('"', "'")}::${type}[]`;

  it.each<[ScalarType, string, readonly (readonly Element[] | null)[]]>([
    [
      "text",
      "VARCHAR",
      [
        ...[null, [], ["a"], [""], [null], ["a", "b"], ["a", "a"], ["", "a"], [null, "a"], [null, ""]],
        ...[
          ["a", "b", "c"],
          ["a", "b", "a"],
          ["b", "a", "a"],
          ["a", "a", "a"],
          ["a", "", "c"],
          ["a", null, "c"],
        ],
        ...[
          ["a", "b", "c", "d"],
          ["a", "b", "c", "a"],
          ["a", "b", "c", "b"],
          ["a", "b", "c", "c"],
          ["a", "b", "c", ""],
        ],
        ...[
          ["a", "b", "c", "d", "e"],
          ["a", "b", "c", "d", "a"],
          ["a", "b", "c", "d", null, ""],
        ],
      ],
    ],
    [
      "number",
      "DOUBLE",
      [null, [], [0], [null], [1, 2], [1, 1], [0, null], [1, 2, 3], [1, 2, 1], [1, 2, 3, 4, 4]],
    ],
    [
      "boolean",
      "BOOLEAN",
      [[true], [false], [true, false], [true, true], [false, true, false], [null, true]],
    ],
  ])("of %s are each given once", async (type, sqlType, lists) => {
    const connection = await instance.connect();
    try {
      const given = lists.map((list, at) => `(${at}, ${written(list, sqlType)})`).join(", ");
      const sql = `SELECT ${duckdbDialect.distinctElements("k", type)} FROM (VALUES ${given}) r(n, k) ORDER BY n`;
      const found = (await (await connection.run(sql)).getRowsJS()).map(([list]) => list as Element[]);
      const expected = lists.map((list) => [...new Set(list?.map((one) => (one === "" ? null : one)) ?? [])]);
      expect(found.map((list) => list.map(String).sort())).toEqual(
        expected.map((list) => (list.length === 0 ? ["null"] : list.map(String).sort())),
      );
    } finally {
      connection.closeSync();
    }
  });
});
