import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Connection } from "../../../store/events/clickhouse/connection.ts";
import { bindStatement, clickhouseDialect } from "../../../store/events/clickhouse/query/dialect.ts";
import { readRows, rowFormat } from "../../../store/events/clickhouse/query/rows.ts";
import { bindStatement as bindDuckDb, duckdbDialect } from "../../../store/events/duckdb/query/dialect.ts";
import { type Dialect, scalar } from "../../../store/events/sql/dialect.ts";
import {
  partNames,
  splitValue,
  sumParts,
  valueOfParts,
} from "../../../store/events/sql/measure/exact-sum.ts";
import { Parameters } from "../../../store/events/sql/parameters.ts";
import type { SumForm } from "../../../store/events/sql/sum-forms.ts";
import { type ClickHouseServer, openClickHouse } from "./server.ts";

/** Builds one expression, or a SELECT of one column. */
type Build = (dialect: Dialect, parameters: Parameters) => string;

let server: ClickHouseServer;
let connection: Connection;
let duckdb: Awaited<ReturnType<DuckDBInstance["connect"]>>;

beforeAll(async () => {
  server = await openClickHouse();
  connection = new Connection({ shards: [server.url], database: "default", user: "default", password: "" });
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
});

afterAll(async () => {
  duckdb.closeSync();
  await connection[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const compile = (build: Build, dialect: Dialect) => {
  const parameters = new Parameters(dialect);
  const text = build(dialect, parameters);
  return parameters.finish(text.startsWith("SELECT") ? text : `SELECT ${text} AS x`);
};

async function inClickHouse(build: Build): Promise<unknown> {
  const bound = bindStatement(compile(build, clickhouseDialect));
  const rows = await readRows(
    await connection.read(0, { ...bound, sql: `${bound.sql} FORMAT ${rowFormat}` }),
  );
  rows.moveTo(0);
  return plain(rows.value(0));
}

async function inDuckDb(build: Build): Promise<unknown> {
  const result = await duckdb.runAndReadAll(...bindDuckDb(compile(build, duckdbDialect)));
  return plain(result.getRowsJS()[0]![0]);
}

/** Conditions are numbers in ClickHouse, and integers have several sizes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  return value;
}

const numbers =
  (
    values: readonly number[],
    aggregate: (x: string, dialect: Dialect, parameters: Parameters) => string,
  ): Build =>
  (dialect, parameters) =>
    `SELECT ${aggregate("x", dialect, parameters)} AS y FROM (SELECT ${dialect.unnest(parameters.bindList("number", values))} AS x) r`;

const exactSum = (values: readonly number[], form: SumForm): Build =>
  numbers(values, (x, dialect) => {
    const sum = { dialect, form };
    const parts = sumParts(splitValue(dialect.nullable(x), sum), undefined, "s", sum);
    const texts = partNames("s", sum).map((name) =>
      parts.find((part) => part.endsWith(` AS ${name}`))!.replace(/ AS \w+$/, ""),
    );
    return valueOfParts(texts, sum);
  });

const nothing = "x > 10";
const lists =
  (...values: readonly (readonly string[])[]) =>
  (parameters: Parameters) =>
    values.map((value) => parameters.bindList("text", value));

describe("the same value in ClickHouse and in DuckDB", () => {
  it.each<[string, Build, unknown]>([
    ["a double of the plan", (_, p) => `(${p.bind("number", 0.1)} + ${p.bind("number", 0.2)})`, 0.1 + 0.2],
    ["the smallest double", (_, p) => p.bind("number", 5e-324), 5e-324],
    ["the largest double", (_, p) => p.bind("number", Number.MAX_VALUE), Number.MAX_VALUE],
    ["a negative zero", (_, p) => `(${p.bind("number", -0)} = ${p.bind("number", 0)})`, 1],
    ["a large integer", (_, p) => p.bind("integer", Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
    ["a text", (_, p) => p.bind("text", "it's\\ \t\n€ {p1:String}"), "it's\\ \t\n€ {p1:String}"],
    ["a long text", (_, p) => p.bind("text", "'\\\n€".repeat(3_000)), "'\\\n€".repeat(3_000)],
    ["a boolean", (_, p) => p.bind("boolean", true), 1],
    ["a number as a whole one", (d, p) => d.cast(p.bind("number", 7.5), scalar("integer")), 8],
    ["a negative number as a whole one", (d, p) => d.cast(p.bind("number", -1.5), scalar("integer")), -2],
    ["an integer as a number", (d, p) => d.cast(p.bind("integer", 7), scalar("number")), 7],
    ["no value", (d) => d.cast("NULL", scalar("text")), null],
    ["a division that rounds down", (d, p) => d.divideInteger(p.bind("integer", 59), 10, 100), 5],
    ["an infinite number", (d, p) => d.isFinite(`(${p.bind("number", 1e308)} * 10)`), 0],
    [
      "the first value",
      (d, p) => d.firstOf([d.cast("NULL", scalar("text")), p.bind("text", "b")], scalar("text")),
      "b",
    ],
    ["a remainder before 1970", (_, p) => `(${p.bind("integer", -7)} % 5)`, -2],
    ["the order of texts", (_, p) => `(${p.bind("text", "Z")} < ${p.bind("text", "a")})`, 1],
    ["a trailing space", (_, p) => `(${p.bind("text", "a")} = ${p.bind("text", "a ")})`, 0],
  ])("scalars: %s", async (_what, build, expected) => {
    expect([await inClickHouse(build), await inDuckDb(build)]).toEqual([expected, expected]);
  });

  const text = "100% a_b\\c\nÄ";
  it.each<[string, Build, unknown]>([
    ["contains an empty text", (d, p) => d.contains(p.bind("text", text), p.bind("text", "")), 1],
    ["contains a percent sign", (d, p) => d.contains(p.bind("text", text), p.bind("text", "0%")), 1],
    ["has no placeholders", (d, p) => d.contains(p.bind("text", text), p.bind("text", "a%b")), 0],
    ["contains a backslash", (d, p) => d.contains(p.bind("text", text), p.bind("text", "\\c")), 1],
    ["contains other case", (d, p) => d.contains(p.bind("text", text), p.bind("text", "ä")), 0],
    [
      "contains one of many",
      (d, p) => d.containsAny(p.bind("text", text), p.bindList("text", ["x", "Ä"])),
      1,
    ],
    [
      "contains none of many",
      (d, p) => d.containsAny(p.bind("text", text), p.bindList("text", ["x", "y"])),
      0,
    ],
    ["is one of a list", (d, p) => d.isAnyOf(p.bind("text", "a"), p.bindList("text", ["b", "a"])), 1],
    ["is none of a list", (d, p) => d.isAnyOf(p.bind("text", "a"), p.bindList("text", ["b", "c"])), 0],
    ["a dot and a line break", (d, p) => d.matches(p.bind("text", "a\nb"), p.bind("text", "a.b")), 0],
    [
      "a dot and a line break, in a branch",
      (d, p) => d.matches(p.bind("text", "a\nb"), p.bind("text", "x|a.b")),
      0,
    ],
    [
      "a dot that matches line breaks",
      (d, p) => d.matches(p.bind("text", "a\nb"), p.bind("text", "(?s)a.b")),
      1,
    ],
    ["a dot and a character", (d, p) => d.matches(p.bind("text", "aÄb"), p.bind("text", "a.b")), 1],
    ["the end of a line", (d, p) => d.matches(p.bind("text", "a\nb"), p.bind("text", "a$")), 0],
    ["other case", (d, p) => d.matches(p.bind("text", "ABC"), p.bind("text", "(?i)b")), 1],
    ["a class of letters", (d, p) => d.matches(p.bind("text", "Ä"), p.bind("text", "^\\p{L}$")), 1],
    ["ASCII words", (d, p) => d.matches(p.bind("text", "Ä"), p.bind("text", "\\w")), 0],
  ])("texts: %s", async (_what, build, expected) => {
    expect([await inClickHouse(build), await inDuckDb(build)]).toEqual([expected, expected]);
  });

  const two = lists(["b", "", "a", "b"], ["x", "y", "x", "x"]);
  it.each<[string, Build, unknown]>([
    ["an element", (d, p) => d.elementAt(p.bindList("text", ["a", "b"]), "2"), "b"],
    ["an element beyond the end", (d, p) => d.elementAt(p.bindList("text", ["a", "b"]), "3"), null],
    ["an empty list", (d, p) => d.isEmptyList(p.bindList("text", [])), 1],
    ["has any", (d, p) => d.hasAny(p.bindList("text", ["a", "b"]), p.bindList("text", ["c", "b"])), 1],
    ["has none", (d, p) => d.hasAny(p.bindList("text", ["a", "b"]), p.bindList("text", ["c"])), 0],
    ["mapped elements", (d, p) => d.mapElements(p.bindList("number", [1, 2]), (x) => `(${x} > 1)`), [0, 1]],
    ["a set", (d, p) => d.asSet(p.bindList("text", ["b", "a", "b"])), ["a", "b"]],
    ["the elements of an empty list", (d, p) => d.distinctElements(p.bindList("text", []), "text"), [null]],
    [
      "distinct numbers",
      (d, p) => `SELECT ${d.asSet(d.distinctElements(p.bindList("number", [2, 1, 2]), "number"))}`,
      [1, 2],
    ],
    [
      "an element that is no text",
      (d, p) => `SELECT ${d.elementAt(d.distinctElements(p.bindList("text", ["a", "", "a"]), "text"), "2")}`,
      null,
    ],
    [
      "the number of distinct tuples, in which an empty text is no value",
      (d, p) => {
        const tuples = d.distinctTuples(two(p), ["text", "text"]);
        return `SELECT count(*) AS n FROM (SELECT ${d.unnest(tuples)} AS z) r WHERE ${d.tupleItem("z", 2)} IS NOT NULL`;
      },
      3,
    ],
    [
      "tuples of lists of different lengths",
      (d, p) => {
        const tuples = d.distinctTuples(lists(["a", "b"], [])(p), ["text", "text"]);
        return `SELECT count(*) FILTER (WHERE ${d.tupleItem("z", 2)} IS NULL) AS n FROM (SELECT ${d.unnest(tuples)} AS z) r`;
      },
      2,
    ],
    [
      "tuples of nothing",
      (d, p) => {
        const tuples = d.distinctTuples(lists([], [])(p), ["text", "text"]);
        return `SELECT count(*) FILTER (WHERE ${d.tupleItem("z", 1)} IS NULL) AS n FROM (SELECT ${d.unnest(tuples)} AS z) r`;
      },
      1,
    ],
    [
      "rows of lists",
      (d, p) => {
        const [k, v] = two(p);
        return `SELECT count(*) AS n FROM ${d.rowsOf([
          { name: "k", list: k! },
          { name: "v", list: v! },
        ])} r WHERE k = 'b' AND v = 'x'`;
      },
      2,
    ],
    [
      "equal lists",
      (d, p) => {
        const [a, b] = lists(["a", "b"], ["a", "b"])(p).map((list) => d.listValue(list, list));
        return `(${a} = ${b})`;
      },
      1,
    ],
    [
      "an empty list as a value",
      (d, p) => `(${d.listValue(p.bindList("text", []), p.bindList("text", []))} IS NULL)`,
      1,
    ],
  ])("lists: %s", async (_what, build, expected) => {
    expect([await inClickHouse(build), await inDuckDb(build)]).toEqual([expected, expected]);
  });

  const tenths = Array.from({ length: 10 }, () => 0.1);
  it.each<[string, Build, unknown]>([
    ["a sum of tenths", exactSum(tenths, "split"), 1],
    ["a sum in which one would be lost", exactSum([1e9, 2 ** -40, -1e9], "split"), 2 ** -40],
    [
      "a sum beyond 64 bits",
      exactSum(
        Array.from({ length: 2_000 }, () => 9_999_999_999),
        "split",
      ),
      19_999_999_998_000,
    ],
    ["a sum of large values, from the lowest on", exactSum([1e300, 1, -1e300, 2e10], "wide"), 1],
    ["a sum of small values that may be large", exactSum(tenths, "wide"), 1],
    ["a sum of nothing", numbers([1], (x, d) => `sum(${d.nullable(x)}) FILTER (WHERE ${nothing})`), null],
    [
      "the minimum of nothing",
      numbers([1], (x, d) => `min(${d.nullable(x)}) FILTER (WHERE ${nothing})`),
      null,
    ],
    ["the count of nothing", numbers([1], (x) => `count(${x}) FILTER (WHERE ${nothing})`), 0],
    [
      "the quantile of nothing",
      numbers([1], (x, d, p) => d.quantile(d.nullable(x), p.bind("number", 0.5), nothing)),
      null,
    ],
    [
      "an interpolated quantile",
      numbers([4, 1, 2, 3], (x, d, p) => d.quantile(d.nullable(x), p.bind("number", 0.5), undefined)),
      2.5,
    ],
    ["bits of nothing", numbers([1], (_, d) => d.bitOr(d.bit("0"), nothing)), null],
    ["bits", numbers([1], (_, d) => d.bitOr(d.bit("62"), undefined)), Number(1n << 62n)],
    ["a bit that is set", numbers([1], (_, d) => d.anyBit(`max(${d.bit("62")})`, 1n << 62n)), 1],
    ["the one value", numbers([1], (x, d) => d.onlyValue(x, false)), 1],
  ])("aggregates: %s", async (_what, build, expected) => {
    expect([await inClickHouse(build), await inDuckDb(build)]).toEqual([expected, expected]);
  });
});
