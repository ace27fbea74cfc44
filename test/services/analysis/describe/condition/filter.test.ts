import { expect, describe as group, it } from "vitest";
import { formatSecond } from "../../../../../base/time/local-time.ts";
import { dayMs } from "../../../../../base/time/units.ts";
import type { Expression, Predicate } from "../../../../../store/events/events.ts";
import { describe, refusalsOf, warningsOf } from "../described.ts";

const today = Date.UTC(2026, 7, 26);

/** A predicate as one can read it. */
function show(predicate: Predicate): string {
  switch (predicate.kind) {
    case "always":
      return String(predicate.value);
    case "and":
    case "or":
      return `(${predicate.of.map(show).join(` ${predicate.kind} `)})`;
    case "not":
      return `not ${show(predicate.of)}`;
    case "isNull":
      return `${name(predicate.of)} is null`;
    case "in":
      return `${name(predicate.of)} in ${JSON.stringify(predicate.values)}`;
    case "compare":
      return `${name(predicate.left)} ${predicate.operator} ${name(predicate.right)}`;
    case "contains":
      return `${name(predicate.of)} contains ${JSON.stringify(predicate.texts)}`;
    case "matches":
      return `${name(predicate.of)} matches ${predicate.pattern}`;
    case "hasElement":
      return `${name(predicate.of)} has ${JSON.stringify(predicate.values)}`;
    case "elementAt":
      return `${name(predicate.of)}[${predicate.position}] = ${JSON.stringify(predicate.value)}`;
    case "inCohort":
      return `in ${predicate.cohort.name}@${predicate.cohort.day ?? "newest"}`;
  }
}

function name(expression: Expression): string {
  switch (expression.kind) {
    case "property":
      return `${expression.property.table === "user" ? "user." : ""}${expression.property.name}`;
    case "builtin":
      return `#${expression.name}`;
    case "local":
      return `local(${name(expression.of)})`;
    case "startOfDay":
      return `day(${name(expression.of)})`;
    case "number":
      return expression.value > dayMs * 1_000 ? formatSecond(expression.value) : String(expression.value);
    case "arithmetic":
      return `${name(expression.left)} ${expression.operator} ${name(expression.right)}`;
    case "tag":
      return `tag ${expression.cohort.name}`;
    default:
      return expression.kind;
  }
}

const filter = (columnName: string, comparator: string, ftv: unknown[] = [], more: object = {}) => ({
  columnName,
  comparator,
  ftv,
  tableType: "event",
  ...more,
});
const whereOf = (...filts: object[]) => show(describe({ view: { filts } }).scans[0]!.measures[0]!.where);
const user = { tableType: "user" };
const cluster = { tableType: "cluster" };

group("a condition", () => {
  it.each([
    [filter("brand", "equal", ["a", "b", "a"]), 'brand in ["a","b"]'],
    [filter("BRAND", "equal", ["a"]), 'brand in ["a"]'],
    [filter("price", "equal", ["9.50", 3]), "price in [9.5,3]"],
    [filter("paid", "equal", [true]), "paid in [true]"],
    [filter("brand", "notEqual", ["a"]), '(not brand is null and not brand in ["a"])'],
    [filter("brand", "include", ["a", "b"]), 'brand contains ["a","b"]'],
    [filter("brand", "notInclude", ["a"]), '(not brand is null and not brand contains ["a"])'],
    [filter("price", "less", ["-1e1"]), "price < -10"],
    [filter("level", "greater", [30], user), "user.level > 30"],
    [filter("price", "range", ["1", "2"]), "(price >= 1 and price <= 2)"],
    [filter("brand", "isNull"), "brand is null"],
    [filter("brand", "notNull"), "not brand is null"],
    [filter("paid", "isTrue"), "paid in [true]"],
    [filter("paid", "isFalse"), "paid in [false]"],
    [filter("brand", "regexMatch", ["^a+$"]), "brand matches ^a+$"],
    [filter("brand", "notRegexMatch", ["b"]), "(not brand is null and not brand matches b)"],
    [filter("tags", "arrayIncludeItem", ["x", 1]), 'tags has ["x","1"]'],
    [filter("tags", "arrayNotIncludeItem", ["x"]), 'not tags has ["x"]'],
    [filter("tags", "arrayItemPos", [2, "x"]), 'tags[2] = "x"'],
    [filter("tags", "arrayIsNull"), "tags is null"],
    [filter("tags", "arrayNotNull"), "not tags is null"],
    [filter("items.cost", "equal", ["1"]), "items.cost has [1]"],
    [filter("items.cost", "notEqual", ["1"]), "(not items.cost is null and not items.cost has [1])"],
    [filter("items.made", "notNull"), "not items.made is null"],
    [filter("items.made", "arrayItemPos", ["1", "2026-08-01"]), `items.made[1] = ${Date.UTC(2026, 7, 1)}`],
    [filter("device.os", "equal", ["x"]), 'device.os in ["x"]'],
    [filter("#user_id", "equal", ["3"]), "#user_id in [3]"],
    [filter("#account_id", "equal", ["a"], user), '#user_account_id in ["a"]'],
    [filter("#event_name", "equal", ["pay"]), '#event_name in ["pay"]'],
    [filter("whales", "belongToCluster", [], cluster), "in whales@newest"],
    [filter("whales", "notBelongToCluster"), "not in whales@newest"],
    [
      filter("whales", "belongToCluster", [], { ...cluster, specifiedClusterDate: "2026-08-20" }),
      "in whales@2026-08-20",
    ],
    [filter("segment", "equal", ["new"], { tableType: "user_cluster" }), 'tag segment in ["new"]'],
  ])("%j is %s", (condition, where) => {
    expect(whereOf(condition)).toBe(where);
  });

  it.each([
    [filter("due", "less", ["2026-08-01"]), "local(due) < 2026-08-01 00:00:00"],
    [filter("birthday", "greater", ["2026-08-01 10:00:00"], user), "user.birthday > 2026-08-01 10:00:00"],
    [
      filter("birthday", "range", ["2026-08-01", "2026-08-02"], user),
      "(user.birthday >= 2026-08-01 00:00:00 and user.birthday < 2026-08-03 00:00:00)",
    ],
    [
      filter("birthday", "range", ["2026-08-01 00:00:00", "2026-08-01 23:59:59"], user),
      "(user.birthday >= 2026-08-01 00:00:00 and user.birthday < 2026-08-02 00:00:00)",
    ],
    [
      filter("birthday", "relativeCurrentBetween", ["-7", 0], user),
      "(user.birthday >= 2026-08-19 00:00:00 and user.birthday < 2026-08-27 00:00:00)",
    ],
    [filter("birthday", "relativeCurrentBefore", [30], user), "user.birthday < 2026-07-27 00:00:00"],
    [
      filter("due", "relativeEventBefore", [2], { timeUnit: "hour" }),
      "local(due) < local(#event_time) + -7200000",
    ],
    [
      filter("due", "relativeEventAfter", [1], { timeUnit: "day" }),
      "local(due) > local(#event_time) + 86400000",
    ],
    [
      filter("due", "relativeEventAbsolute", [5], { timeUnit: "minute" }),
      "(local(due) >= local(#event_time) + -300000 and local(due) <= local(#event_time) + 300000)",
    ],
    [
      filter("due", "relativeEventThatDay"),
      "(day(local(due)) >= day(local(#event_time)) and day(local(due)) <= day(local(#event_time)))",
    ],
  ])("on times, %j is %s", (condition, where) => {
    expect(whereOf(condition)).toBe(where);
  });

  it("bounds the patterns of a query together", () => {
    const filts = Array.from({ length: 6 }, () => filter("brand", "regexMatch", ["[a-z]{999}"]));
    expect(refusalsOf({ view: { filts } }).map((refusal) => refusal.slice(0, 30))).toEqual([
      'eventView.filts[5].ftv[0]: "[a',
    ]);
  });

  it.each([
    ["isNull", "true"],
    ["arrayIsNull", "true"],
    ["notNull", "false"],
    ["isTrue", "false"],
    ["relativeEventThatDay", "false"],
  ])("%s on a property that nobody reported is %s", (comparator, where) => {
    expect(whereOf(filter("nothing_like_it", comparator))).toBe(where);
  });

  it.each([
    ["equal", ["a"], "false"],
    ["notEqual", ["a"], "false"],
    ["arrayNotIncludeItem", ["a"], "true"],
    ["less", ["soon"], "false"],
  ])("%s %j on a property that nobody reported is %s", (comparator, ftv, where) => {
    expect(whereOf(filter("nothing_like_it", comparator, ftv))).toBe(where);
  });

  it("on a property without any value causes a warning", () => {
    expect(warningsOf({ view: { filts: [filter("gone", "isNull")] } })).toEqual([
      'eventView.filts[0].columnName: event property "gone" is not known, it has no values; known are "price", "count", "brand", "paid", "due", "tags", "device", "device.os", "items", "items.id", "items.cost", "items.made"',
    ]);
  });
});

group("a whole number that a double changes", () => {
  it.each([
    ["9007199254740993", "9007199254740992"],
    ["-9007199254740993", "-9007199254740992"],
    ["99999999999999999", "100000000000000000"],
    ["9007199254740993.0", "9007199254740992"],
  ])("%s is warned of", (text, read) => {
    expect(warningsOf({ view: { filts: [filter("price", "equal", [text])] } })).toEqual([
      `eventView.filts[0].ftv[0]: ${JSON.stringify(text)} is read as ${read}; numbers are exact up to 9007199254740991, report longer ids as texts`,
    ]);
  });

  it.each(["9007199254740992", "1e22", "0.1", "1e300"])("is not %s", (text) => {
    expect(warningsOf({ view: { filts: [filter("price", "equal", [text])] } })).toEqual([]);
  });

  it("keeps its digits where texts are compared", () => {
    const where = whereOf(filter("brand", "equal", ["9007199254740993"]));
    expect(where).toBe('brand in ["9007199254740993"]');
  });
});

group("a list of conditions", () => {
  const [a, b] = [filter("brand", "equal", ["a"]), filter("price", "less", [1])];

  it.each([
    [{ filts: [a, b] }, '(brand in ["a"] and price < 1)'],
    [{ filts: [a, b], relation: "or" }, '(brand in ["a"] or price < 1)'],
    [{ filts: [], relation: "or" }, "true"],
    [
      { filts: [{ filterType: "COMPOUND", relation: "and", filts: [a, b] }, a], relation: "or" },
      '((brand in ["a"] and price < 1) or brand in ["a"])',
    ],
  ])("%j is %s", (view, where) => {
    expect(show(describe({ view }).scans[0]!.measures[0]!.where)).toBe(where);
  });

  it("of the query comes before that of the metric", () => {
    const plan = describe({ view: { filts: [a] }, metric: { filts: [b] } });
    expect(show(plan.scans[0]!.measures[0]!.where)).toBe('(brand in ["a"] and price < 1)');
  });
});

group("refused is", () => {
  const at = "eventView.filts[0]";
  it.each([
    [filter("brand", "equal"), `${at}.ftv: must have 1 to 10000 literals with equal, not 0`],
    [
      {
        filterType: "COMPOUND",
        filts: Array.from({ length: 6 }, () => filter("brand", "equal", Array(10_000).fill("a"))),
      },
      `${at}.filts[5].ftv: exceeds the limit of 50000 literals in a query`,
    ],
    [filter("brand", "isNull", ["a"]), `${at}.ftv: must have no literal with isNull, not 1`],
    [filter("price", "less", [1, 2]), `${at}.ftv: must have 1 literal with less, not 2`],
    [filter("price", "range", [1]), `${at}.ftv: must have 2 literals with range, not 1`],
    [
      filter("price", "equal", ["many"]),
      `${at}.ftv[0]: "many" must be a finite number, because the column is a number`,
    ],
    [
      filter("price", "equal", ["2", " 1"]),
      `${at}.ftv[1]: " 1" must be a finite number without spaces around it, because the column is a number`,
    ],
    [
      filter("price", "less", ["1\n"]),
      `${at}.ftv[0]: "1\\n" must be a finite number without spaces around it`,
    ],
    [filter("price", "range", ["1 ", "2"]), `${at}.ftv[0]: "1 " must be a finite number without spaces`],
    [filter("price", "less", ["1 0"]), `${at}.ftv[0]: "1 0" must be a finite number, because`],
    [filter("price", "less", ["NaN"]), `${at}.ftv[0]: "NaN" must be a finite number`],
    [filter("price", "less", ["1e400"]), `${at}.ftv[0]: "1e400" must be a finite number`],
    [filter("due", "less", ["2026-02-30"]), `${at}.ftv[0]: "2026-02-30" must be an existing time`],
    [filter("paid", "equal", ["yes"]), `${at}.ftv[0]: "yes" must be "true" or "false"`],
    [filter("brand", "regexMatch", ["(a"]), `${at}.ftv[0]: "(a" must be a regular expression in RE2 syntax`],
    [filter("brand", "regexMatch", ["(?=a)"]), `${at}.ftv[0]: "(?=a)" must be a regular expression`],
    [filter("brand", "regexMatch", ["a".repeat(1_001)]), "must have at most 1000 characters"],
    [filter("brand", "regexMatch", ["(a{1000}){1000}"]), "is too large: with repetitions written out, the"],
    [filter("brand", "regexMatch", ["(a{1001})"]), "must be a regular expression in RE2 syntax"],
    [filter("tags", "arrayItemPos", [0, "x"]), `${at}.ftv[0]: "0" must be a whole number from 1 to 10000`],
    [filter("due", "relativeCurrentBefore", ["1.5"]), `${at}.ftv[0]: "1.5" must be a whole number from`],
    [
      filter("due", "relativeCurrentBefore", [" 1"]),
      `${at}.ftv[0]: " 1" must be a whole number from -36500 to 36500, without spaces around it`,
    ],
    [
      filter("due", "relativeEventBefore", [1]),
      `${at}.timeUnit: is required by relativeEventBefore and must be one of "day", "hour", "minute"`,
    ],
    [
      filter("due", "relativeEventBefore", [-1], { timeUnit: "day" }),
      `${at}.ftv[0]: "-1" must be a whole number from 0 to 36500`,
    ],
    [filter("", "equal", ["a"]), `${at}.columnName: is required`],
    [
      filter("brand", "equal", ["a"], { tableType: undefined }),
      `${at}.tableType: is required, one of "event", "user", "cluster", "user_cluster"`,
    ],
    [filter("brand", "", ["a"]), `${at}.comparator: is required, one of "equal", "notEqual", "include"`],
    [
      filter("price", "include", ["1"]),
      `${at}.comparator: "include" does not apply to a number column, valid are "equal", "notEqual", "less", "greater", "range", "isNull", "notNull"`,
    ],
    [
      filter("brand", "greater", ["1"]),
      `${at}.comparator: "greater" does not apply to a text column, valid are`,
    ],
    [
      filter("tags", "equal", ["x"]),
      `${at}.comparator: "equal" does not apply to a list column, valid are "isNull", "notNull", "arrayIncludeItem"`,
    ],
    [
      filter("items.cost", "less", ["1"]),
      `${at}.comparator: "less" does not apply to a member of the object group "items"`,
    ],
    [filter("whales", "equal", ["x"], cluster), `valid are "belongToCluster", "notBelongToCluster"`],
    [filter("segment", "belongToCluster", [], cluster), `"belongToCluster" does not apply to a text column`],
    [
      filter("whales", "belongToCluster", [], { ...cluster, specifiedClusterDate: "2026-02-30" }),
      `${at}.specifiedClusterDate: "2026-02-30" must be an existing day, as yyyy-MM-dd`,
    ],
    [
      { ...filter("brand", "equal", ["a"]), filts: [filter("brand", "isNull")] },
      `${at}.filts: is only valid with the filterType "COMPOUND"`,
    ],
  ])("%j", (condition, refusal) => {
    const refusals = refusalsOf({ view: { filts: [condition] } });
    expect(refusals.filter((one) => one.includes(refusal))).toHaveLength(1);
  });

  it("nesting without end", () => {
    const nest = (depth: number): object =>
      depth === 0 ? filter("brand", "isNull") : { filterType: "COMPOUND", filts: [nest(depth - 1)] };
    expect(refusalsOf({ view: { filts: [nest(9)] } })).toEqual([]);
    expect(refusalsOf({ view: { filts: [nest(10)] } })[0]).toContain("is nested deeper than 10 levels");
  });

  it("more conditions than a query may have, reported once", () => {
    const filts = Array.from({ length: 1_200 }, () => filter("brand", "isNull"));
    expect(refusalsOf({ view: { filts } })).toEqual([
      "eventView.filts[1000]: exceeds the limit of 1000 conditions",
    ]);
  });

  it("all that is wrong, not only the first", () => {
    const filts = [
      filter("price", "equal", ["x"]),
      { filterType: "COMPOUND", filts: [filter("paid", "isTrue", [1])] },
    ];
    expect(refusalsOf({ view: { filts }, metric: { filts: [filter("due", "isTrue")] } })).toHaveLength(3);
  });
});

it("warns of a unit where there is nothing to measure", () => {
  const condition = filter("brand", "isNull", [], { timeUnit: "day" });
  expect(warningsOf({ view: { filts: [condition] } })).toEqual([
    "eventView.filts[0].timeUnit has no effect with isNull",
  ]);
});

it.each([
  [
    {
      filterType: "COMPOUND",
      filts: [filter("brand", "isNull")],
      columnName: "price",
      tableType: "event",
      comparator: "greater",
      ftv: [5],
      timeUnit: "day",
      subTableType: "cluster_by_import",
      specifiedClusterDate: "2026-08-20",
    },
    "COMPOUND",
    ["columnName", "tableType", "subTableType", "specifiedClusterDate", "comparator", "ftv", "timeUnit"],
  ],
  [filter("brand", "isNull", [], { relation: "or" }), "SIMPLE", ["relation"]],
])("warns of what is not for the type of %j", (condition, type, names) => {
  expect(warningsOf({ view: { filts: [condition] } })).toEqual(
    names.map((name) => `eventView.filts[0].${name} has no effect with the filterType "${type}"`),
  );
});

it("counts days from today in the query's zone", () => {
  const view = { filts: [filter("birthday", "relativeCurrentBefore", [0], user)] };
  const bound = (zoneOffset: number) =>
    show(describe({ view, body: { zoneOffset } }).scans[0]!.measures[0]!.where);
  expect([bound(0), bound(14)]).toEqual([
    `user.birthday < ${formatSecond(today)}`,
    `user.birthday < ${formatSecond(today + dayMs)}`,
  ]);
});
