import { describe, expect, it } from "vitest";
import { duckdbDialect } from "../../../../store/events/duckdb/query/dialect.ts";
import type { Aggregate, Expression, Measure, Predicate, Scan } from "../../../../store/events/events.ts";
import { compileScan } from "../../../../store/events/sql/sql.ts";
import { compileUsers } from "../../../../store/events/sql/users.ts";
import { fakeRelations, hostile, passesOf, property } from "./fake-relations.ts";

const of = (number: number): Expression => ({ kind: "property", property: property(number) });
const amount: Expression = { kind: "property", property: property(5, { type: "number" }) };
const userId: Expression = { kind: "builtin", name: "user_id" };
const always: Predicate = { kind: "always", value: true };
const equals = (value: string): Predicate => ({ kind: "in", of: of(1), values: [value] });
const measure = (aggregate: Aggregate, where: Predicate = always, events?: number[]): Measure => ({
  aggregate,
  where,
  events,
});
const count: Aggregate = { kind: "count" };
const users: Aggregate = { kind: "distinct", of: userId, as: "value" };
const median: Aggregate = { kind: "quantile", of: amount, fraction: 0.5 };

const scanOf = (measures: readonly Measure[], more: Partial<Scan> = {}): Scan => ({
  projectId: 1,
  zone: [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: 0 }],
  keys: [],
  measures,
  totals: true,
  buckets: { startMs: 0, endMs: 30, localEdges: [0, 10, 20, 30] },
  ...more,
});

const compiled = (scan: Scan) => compileScan(scan, fakeRelations, duckdbDialect)!;

describe("compileScan", () => {
  it.each<[string, Measure[], number]>([
    [
      "counts and sums",
      [measure(count), measure({ kind: "sum", of: amount }), measure({ kind: "max", of: amount })],
      1,
    ],
    [
      "counts under several conditions",
      [measure(count, equals("a")), measure(count, equals("b")), measure(count, always, [1])],
      1,
    ],
    [
      "users under several conditions",
      [measure(users, equals("a")), measure(users, equals("b")), measure(users, always, [1])],
      1,
    ],
    [
      "counts and users",
      [measure(count), measure(count, equals("a")), measure(users), measure(users, equals("a"))],
      2,
    ],
    [
      "counts, users and sums of the same events",
      [
        measure(count, equals("a")),
        measure(users, equals("a")),
        measure({ kind: "sum", of: amount }, equals("a")),
      ],
      1,
    ],
    ["users and values of a text", [measure(users), measure({ kind: "values", of: of(1) })], 2],
    [
      "quantiles, whose totals are read apart",
      [measure(median), measure(median, equals("a")), measure(count)],
      2,
    ],
  ])("reads the events as few times as it can: %s", (_what, measures, passes) => {
    expect(passesOf(compiled(scanOf(measures)).sql)).toBe(passes);
  });

  it("reads them once for quantiles without totals", () => {
    expect(passesOf(compiled(scanOf([measure(median), measure(count)], { totals: false })).sql)).toBe(1);
  });

  it.each<[string, Partial<Scan>, number]>([
    ["there are too many to keep", {}, 20_000_001],
    ["they are distinguished by a key", { keys: [{ kind: "values", of: of(1) }] }, 1_000],
  ])("reads them once for counts and once for users when %s", (_when, more, rows) => {
    const relations = { ...fakeRelations, rowsAtMost: () => rows };
    const scan = scanOf([measure(count), measure(users)], more);
    expect(passesOf(compileScan(scan, relations, duckdbDialect)!.sql)).toBe(2);
  });

  it("evaluates a common condition once", () => {
    const both = (value: string): Predicate => ({ kind: "and", of: [equals("all"), equals(value)] });
    const { sql, parameters } = compiled(scanOf([measure(count, both("a")), measure(count, both("b"))]));
    expect(parameters.map(({ value }) => value)).toEqual(["a", "b", "all"]);
    expect(sql).toContain("WHERE ((e.p1 = $3) AND ((e.p1 = $1) OR (e.p1 = $2)))");
  });

  it("joins users only where they are needed", () => {
    const level: Expression = { kind: "property", property: property(9, { table: "user", type: "number" }) };
    expect(compiled(scanOf([measure(users)])).sql).not.toContain("USERS");
    expect(compiled(scanOf([measure({ kind: "sum", of: level })])).sql).toContain("LEFT JOIN (USERS) u");
  });

  it("keeps names and values out of its text", () => {
    const where: Predicate = {
      kind: "and",
      of: [
        equals(hostile),
        { kind: "contains", of: of(2), texts: [hostile] },
        { kind: "matches", of: of(2), pattern: hostile },
        { kind: "in", of: { kind: "builtin", name: "event_name" }, values: [hostile] },
        {
          kind: "in",
          of: { kind: "lookup", of: of(2), texts: new Map([[hostile, hostile]]) },
          values: [hostile],
        },
        { kind: "inCohort", cohort: { name: hostile, day: hostile } },
        { kind: "isNull", of: { kind: "case", branches: [{ when: equals(hostile), text: hostile }] } },
      ],
    };
    const scan = scanOf([measure(count, where), measure(users, where)], {
      keys: [{ kind: "values", of: of(3) }],
    });
    const texts = [
      compiled(scan),
      compileUsers({ scan, group: [hostile] }, [], fakeRelations, duckdbDialect)!,
    ];
    for (const { sql, parameters } of texts) {
      expect(sql).not.toContain("DROP");
      expect(sql).not.toContain(";");
      expect(JSON.stringify(parameters)).toContain("DROP");
    }
  });

  it("binds what its text names, and nothing else", () => {
    const { sql, parameters } = compiled(
      scanOf([measure(count, equals("a")), measure(users, equals("a")), measure(median)]),
    );
    const named = new Set([...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    expect([...named].sort()).toEqual(parameters.map((_, index) => index + 1));
    expect(parameters.map(({ value }) => value).sort()).toEqual([0.5, "a"]);
  });
});
