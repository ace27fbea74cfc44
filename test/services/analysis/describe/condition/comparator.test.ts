import { expect, describe as group, it } from "vitest";
import { formatSecond } from "../../../../../base/time/local-time.ts";
import { dayMs } from "../../../../../base/time/units.ts";
import { describe, refusalsOf, warningsOf } from "../described.ts";
import { cluster, filter, show, whereOf } from "./conditions.ts";

const today = Date.UTC(2026, 7, 26);

const user = { tableType: "user" };

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
  ])("%s on a property that no user has is %s", (comparator, where) => {
    expect(whereOf(filter("nothing_like_it", comparator))).toBe(where);
  });

  it.each([
    ["equal", ["a"], "false"],
    ["notEqual", ["a"], "false"],
    ["arrayNotIncludeItem", ["a"], "true"],
    ["less", ["soon"], "false"],
  ])("%s %j on a property that no user has is %s", (comparator, ftv, where) => {
    expect(whereOf(filter("nothing_like_it", comparator, ftv))).toBe(where);
  });

  it("on a property without any value causes a warning", () => {
    expect(warningsOf({ view: { filts: [filter("gone", "isNull")] } })).toEqual([
      'eventView.filts[0].columnName: event property "gone" is not known, it has no values; valid are "price", "count", "brand", "paid", "due", "tags", "device", "device.os", "items", "items.id", "items.cost", "items.made"',
    ]);
  });
});

it("warns of a unit where there is nothing to measure", () => {
  const condition = filter("brand", "isNull", [], { timeUnit: "day" });
  expect(warningsOf({ view: { filts: [condition] } })).toEqual([
    "eventView.filts[0].timeUnit has no effect with isNull",
  ]);
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
