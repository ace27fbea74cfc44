import { describe, expect, it } from "vitest";
import type { Expression, Predicate } from "../../../store/events/events.ts";
import {
  always,
  at5,
  count,
  equals,
  measureOf,
  not,
  number,
  of,
  type ScanWorld,
  text,
  totals,
} from "./scan-world.ts";
import { properties } from "./world.ts";

const { price, city, at, gift, tags, itemCount, level } = properties;

/** More than an engine writes into the text of a query. */
const many = (...more: readonly string[]) => [
  ...Array.from({ length: 200 }, (_, at) => `none ${at}`),
  ...more,
];

/** Expressions and predicates. */
export function testConditions(world: ScanWorld): void {
  describe("conditions", () => {
    const gone: Expression = { kind: "null" };
    const times: Expression = { kind: "arithmetic", operator: "/", left: of(price), right: of(itemCount) };
    it.each<[string, Predicate, number]>([
      ["always", always, 7],
      ["never", { kind: "always", value: false }, 0],
      ["equals", equals(city, "Bern"), 3],
      ["equals any", equals(city, "Bern", "Oslo"), 5],
      ["equals none", equals(city), 0],
      ["equals a value of another type", equals(city, 3, true), 0],
      ["not equals, as missing values are not", not(equals(city, "Bern")), 4],
      ["not not", not(not(equals(city, "Bern"))), 3],
      ["boolean", equals(gift, true), 1],
      ["not boolean", not(equals(gift, true)), 6],
      ["no value", { kind: "isNull", of: of(city) }, 2],
      ["some value", not({ kind: "isNull", of: of(city) }), 5],
      ["no list", { kind: "isNull", of: of(tags) }, 4],
      ["nothing", { kind: "isNull", of: gone }, 7],
      ["and", { kind: "and", of: [equals(city, "Bern"), equals(gift, true)] }, 1],
      ["or", { kind: "or", of: [equals(city, "Oslo"), equals(gift, true)] }, 3],
      ["and of nothing", { kind: "and", of: [] }, 7],
      ["or of nothing", { kind: "or", of: [] }, 0],
      ["neither", not({ kind: "or", of: [equals(city, "Oslo"), equals(gift, true)] }), 4],
      ["less", { kind: "compare", operator: "<", left: of(price), right: number(10) }, 1],
      ["at most", { kind: "compare", operator: "<=", left: of(price), right: number(10) }, 2],
      ["not less", not({ kind: "compare", operator: "<", left: of(price), right: number(10) }), 6],
      [
        "later",
        {
          kind: "compare",
          operator: ">",
          left: { kind: "builtin", name: "event_time" },
          right: number(at5(1, 11)),
        },
        3,
      ],
      [
        "at least a part of a millisecond",
        {
          kind: "compare",
          operator: ">=",
          left: { kind: "builtin", name: "event_time" },
          right: number(at5(2, 0) + 0.5),
        },
        1,
      ],
      [
        "another order",
        {
          kind: "compare",
          operator: "<",
          left: number(at5(1, 11)),
          right: { kind: "builtin", name: "event_time" },
        },
        3,
      ],
      [
        "two columns",
        { kind: "compare", operator: "<", left: of(at), right: { kind: "builtin", name: "event_time" } },
        1,
      ],
      ["a text and a number", { kind: "compare", operator: "<", left: of(city), right: number(3) }, 0],
      [
        "a difference",
        {
          kind: "compare",
          operator: ">",
          left: { kind: "arithmetic", operator: "-", left: of(price), right: number(5) },
          right: number(10),
        },
        2,
      ],
      [
        "a division by zero",
        { kind: "isNull", of: { kind: "arithmetic", operator: "/", left: of(price), right: number(0) } },
        7,
      ],
      ["lists in sums", { kind: "isNull", of: times }, 7],
      ["contains", { kind: "contains", of: of(city), texts: ["er", "x"] }, 3],
      ["contains other case", { kind: "contains", of: of(city), texts: ["ER"] }, 0],
      ["contains what patterns have", { kind: "contains", of: of(city), texts: ["%", "_", "."] }, 0],
      ["not contains", not({ kind: "contains", of: of(city), texts: ["er"] }), 4],
      ["equals one of many", equals(city, ...many("Bern", "Oslo")), 5],
      ["equals none of many", equals(city, ...many()), 0],
      ["not equals any of many, as missing values are not", not(equals(city, ...many("Bern"))), 4],
      ["equals one of many numbers", equals(price, ...Array.from({ length: 200 }, (_, at) => at / 2)), 4],
      ["equals one of many, of which few are of its type", equals(city, ...many(), 3, true, "Bern"), 3],
      ["contains one of many", { kind: "contains", of: of(city), texts: many("er") }, 3],
      ["contains none of many", { kind: "contains", of: of(city), texts: many() }, 0],
      ["not contains any of many", not({ kind: "contains", of: of(city), texts: many("er") }), 4],
      ["matches", { kind: "matches", of: of(city), pattern: "[sr][ln]" }, 5],
      ["matches from its start", { kind: "matches", of: of(city), pattern: "^B" }, 3],
      ["matches no number", { kind: "matches", of: of(price), pattern: "." }, 0],
      ["has an element", { kind: "hasElement", of: of(tags), values: ["a", "z"] }, 2],
      ["has not", not({ kind: "hasElement", of: of(tags), values: ["a"] }), 5],
      ["has a number", { kind: "hasElement", of: of(itemCount), values: [2] }, 1],
      ["element of no list", { kind: "hasElement", of: of(city), values: ["Bern"] }, 0],
      ["element at", { kind: "elementAt", of: of(tags), position: 2, value: "b" }, 1],
      ["element at the start", { kind: "elementAt", of: of(tags), position: 1, value: "b" }, 2],
      ["element beyond the end", { kind: "elementAt", of: of(tags), position: 4, value: "b" }, 0],
      ["element before the start", { kind: "elementAt", of: of(tags), position: -1, value: "a" }, 0],
      [
        "event name",
        { kind: "in", of: { kind: "builtin", name: "event_name" }, values: ["Login", "nobody"] },
        2,
      ],
      [
        "event name in other case",
        { kind: "in", of: { kind: "builtin", name: "event_name" }, values: ["login"] },
        0,
      ],
      [
        "part of an event name",
        { kind: "contains", of: { kind: "builtin", name: "event_name" }, texts: ["og"] },
        2,
      ],
      ["user property", equals(level, 3), 4],
      ["not user property", not(equals(level, 3)), 3],
      [
        "user's account",
        { kind: "in", of: { kind: "builtin", name: "user_account_id" }, values: ["bob"] },
        2,
      ],
      ["event's account", { kind: "in", of: { kind: "builtin", name: "account_id" }, values: ["bob"] }, 0],
      ["cohort", { kind: "inCohort", cohort: { name: "vip" } }, 4],
      ["cohort of a day", { kind: "inCohort", cohort: { name: "vip", day: "2026-01-03" } }, 2],
      ["cohort before its first day", { kind: "inCohort", cohort: { name: "vip", day: "2025-12-31" } }, 0],
      ["not in a cohort", not({ kind: "inCohort", cohort: { name: "vip" } }), 3],
      ["unknown cohort", { kind: "inCohort", cohort: { name: "'; --" } }, 0],
      ["tag", { kind: "in", of: { kind: "tag", cohort: { name: "size" } }, values: ["big"] }, 2],
      ["no tag", { kind: "isNull", of: { kind: "tag", cohort: { name: "size" } } }, 5],
      ["text of its own", { kind: "in", of: text("x"), values: ["x"] }, 7],
      ["empty text", { kind: "isNull", of: text("") }, 7],
      [
        "first",
        { kind: "in", of: { kind: "first", of: [gone, of(city), text("none")] }, values: ["none"] },
        2,
      ],
      [
        "case",
        {
          kind: "in",
          of: {
            kind: "case",
            branches: [
              { when: equals(gift, true), text: "x" },
              { when: equals(city, "Bern"), text: "y" },
            ],
          },
          values: ["y"],
        },
        2,
      ],
      [
        "lookup",
        {
          kind: "in",
          of: {
            kind: "lookup",
            of: of(city),
            texts: new Map([
              ["Bern", "CH"],
              ["Oslo", "NO"],
              ["Rome", ""],
            ]),
          },
          values: ["CH"],
        },
        3,
      ],
      [
        "lookup of numbers",
        {
          kind: "in",
          of: {
            kind: "lookup",
            of: of(price),
            texts: new Map([
              ["2.5", "low"],
              ["10", "mid"],
              ["1e1", "no"],
            ]),
          },
          values: ["low", "mid", "no"],
        },
        2,
      ],
      [
        "lookup of booleans",
        {
          kind: "in",
          of: { kind: "lookup", of: of(gift), texts: new Map([["true", "yes"]]) },
          values: ["yes"],
        },
        1,
      ],
      ["nothing looked up", { kind: "isNull", of: { kind: "lookup", of: of(city), texts: new Map() } }, 7],
      [
        "the local hour's day",
        {
          kind: "compare",
          operator: "<",
          left: { kind: "startOfDay", of: { kind: "local", of: { kind: "builtin", name: "event_time" } } },
          right: number(at5(1, 0)),
        },
        3,
      ],
    ])("%s", async (_what, where, expected) => {
      const one = await totals(world.store, { measures: [measureOf({ kind: "count" }, where)] });
      expect(one["[]"] ?? 0).toBe(expected);
      const both = await totals(world.store, {
        measures: [count, measureOf({ kind: "count" }, where)].reverse(),
      });
      expect(both["[]"]).toBe(expected);
      const keyed = await totals(world.store, { keys: [{ kind: "predicate", of: where }] });
      expect([keyed["[true]"] ?? 0, keyed["[false]"] ?? 0]).toEqual([expected, 7 - expected]);
    });
  });
}
