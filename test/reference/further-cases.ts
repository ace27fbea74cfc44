import type { OracleCase } from "./oracle-cases.ts";

type Event = OracleCase["events"][number];
type Properties = Readonly<Record<string, unknown>>;

/** `when` is a day of May 2024, 01:00 UTC, or a full ISO time. */
function event(name: string, user: string, when: number | string, p: Properties = {}): Event {
  const t = typeof when === "number" ? `2024-05-${String(when).padStart(2, "0")}T01:00:00Z` : when;
  return { e: name, u: user, t, p };
}

const from = (first: number, last: number) => ({
  startTime: `2024-05-${String(first).padStart(2, "0")} 00:00:00`,
  endTime: `2024-05-${String(last).padStart(2, "0")} 23:59:59`,
});
const days = (first: number, last: number) => ({ timeParticleSize: "day", ...from(first, last) });
const total = (first: number, last: number) => ({ timeParticleSize: "total", ...from(first, last) });
const starts = (first: number, last: number) =>
  Array.from(
    { length: last - first + 1 },
    (_, at) => `2024-05-${String(first + at).padStart(2, "0")} 00:00:00`,
  );
const normal = (eventName: string, analysis: string, more: object = {}) => ({
  type: "normal",
  eventName,
  analysis,
  ...more,
});
const formula = (customEvent: string, more: object = {}) => ({
  type: "customized",
  eventName: "f",
  customEvent,
  ...more,
});
const by = (...columns: readonly (string | Properties)[]) => ({
  groupBy: columns.map((column) =>
    typeof column === "string"
      ? { columnName: column, tableType: "event" }
      : { tableType: "event", ...column },
  ),
});
const where = (columnName: string, comparator: string, ftv: readonly unknown[] = [], more: object = {}) => ({
  columnName,
  comparator,
  ftv,
  tableType: "event",
  ...more,
});
/** The rows of one metric: groups and values. */
type Rows = readonly (readonly [cols: readonly string[], ...values: (number | null)[]])[];
const rows = (index: number, groups: Rows) => ({
  index,
  group_total: groups.length,
  groups: groups.map(([group_cols, ...values]) => ({ group_cols, values })),
});
const one = (index: number, ...values: (number | null)[]) => rows(index, [[[], ...values]]);

function analysis(
  id: string,
  says: string,
  events: readonly Event[],
  eventView: object,
  metrics: readonly object[],
  expected: OracleCase["expect"],
  more: object = {},
): OracleCase {
  const request = { projectId: 1, eventView, events: metrics, useCache: false, ...more };
  return {
    id,
    says,
    endpoint: "event-analyze",
    now: "2024-05-20T12:00:00Z",
    events,
    request,
    expect: expected,
  };
}

function userList(
  id: string,
  says: string,
  events: readonly Event[],
  request: object,
  users: readonly string[],
): OracleCase {
  return {
    id,
    says,
    endpoint: "event-user-list",
    now: "2024-05-20T12:00:00Z",
    events,
    request: { projectId: 1, eventIndex: 0, sliceGroupVal: [], ...request },
    expect: { users },
  };
}

const visits = [
  event("v", "a", 1),
  event("v", "a", 1),
  event("v", "b", 1),
  event("v", "a", 2),
  event("w", "c", 2),
];
const values = (name: string, numbers: readonly unknown[]) =>
  numbers.map((n, at) => event("e", `u${at}`, 1, { [name]: n }));

/** Cases of our own, in the form of those that were handed to us, worked out by hand. */
export const furtherCases: readonly OracleCase[] = [
  analysis(
    "uniques over the whole",
    "Uniques of a total are not the sum of daily uniques",
    visits,
    total(1, 3),
    [normal("v", "TRIG_USER_NUM"), normal("anyEvent", "TRIG_USER_NUM")],
    { x: ["total"], metrics: [one(0, 2), one(1, 3)] },
  ),
  analysis(
    "part of a week",
    "A range that starts on a Wednesday has the week of the Monday before, with events of the range only",
    [event("v", "a", 6), event("v", "b", 8), event("v", "c", 12), event("v", "d", 13), event("v", "e", 15)],
    { timeParticleSize: "week", ...from(8, 14) },
    [normal("v", "TOTAL_TIMES")],
    { x: ["2024-05-06 00:00:00", "2024-05-13 00:00:00"], metrics: [one(0, 2, 1)] },
  ),
  analysis(
    "months, quarters and years",
    "A calendar unit starts on its first day",
    [event("v", "a", "2024-01-31T23:59:59.999Z"), event("v", "a", "2024-02-29T00:00:00Z")],
    { timeParticleSize: "quarter", startTime: "2023-12-31 00:00:00", endTime: "2024-04-01 00:00:00" },
    [normal("v", "TOTAL_TIMES")],
    {
      x: ["2023-10-01 00:00:00", "2024-01-01 00:00:00", "2024-04-01 00:00:00"],
      metrics: [one(0, 0, 2, 0)],
    },
  ),
  analysis(
    "precedence",
    "Products before sums, brackets before both, from the left",
    visits,
    total(1, 2),
    [
      formula("v.TOTAL_TIMES + w.TOTAL_TIMES * 2"),
      formula("(v.TOTAL_TIMES + w.TOTAL_TIMES) * 2 - 1"),
      formula("v.TOTAL_TIMES - 1 - 1"),
      formula("v.TOTAL_TIMES / 2 / 4"),
      formula("2.5*(v.TOTAL_TIMES/(w.TOTAL_TIMES))"),
    ],
    { x: ["total"], metrics: [one(0, 6), one(1, 9), one(2, 2), one(3, 0.5), one(4, 10)] },
  ),
  analysis(
    "an operand without the group",
    "A group that only one operand has counts 0 on the other side; a division by that 0 is no value",
    [event("v", "a", 1, { c: "x" }), event("v", "a", 1, { c: "y" }), event("w", "a", 1, { c: "y" })],
    { ...days(1, 1), ...by("c") },
    [formula("w.TOTAL_TIMES / v.TOTAL_TIMES"), formula("v.TOTAL_TIMES / w.TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["y"], 1],
          [["x"], 0],
        ]),
        rows(1, [
          [["y"], 1],
          [["x"], null],
        ]),
      ],
    },
  ),
  analysis(
    "filters of one operand",
    "customFilters narrow the operand of their index only, filts of the metric all of them",
    [event("v", "a", 1, { n: 1 }), event("v", "b", 1, { n: 2 }), event("v", "c", 1, { n: 3 })],
    days(1, 1),
    [
      formula("v.TOTAL_TIMES * 10 + v.n.SUM", {
        filts: [where("n", "less", [3])],
        customFilters: [{ index: 1, filts: [where("n", "greater", [1])], relation: "and" }],
      }),
    ],
    { x: starts(1, 1), metrics: [one(0, 22)] },
  ),
  analysis(
    "lists by element",
    "An event is in the group of each different element once; no list and an empty list are one group",
    [
      event("v", "a", 1, { l: ["x", "y", "x"] }),
      event("v", "b", 1, { l: ["y"] }),
      event("v", "c", 1, { l: [] }),
      event("v", "d", 1),
    ],
    { ...days(1, 1), ...by("l") },
    [normal("v", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["$null"], 2],
          [["y"], 2],
          [["x"], 1],
        ]),
      ],
    },
  ),
  analysis(
    "object groups by element",
    "Members of one object group go element by element",
    [
      event("v", "a", 1, {
        i: [
          { id: "p", n: 1 },
          { id: "q", n: 2 },
        ],
      }),
      event("v", "b", 1, { i: [{ id: "p", n: 1 }, { id: "p" }] }),
    ],
    { ...days(1, 1), ...by("i.id", "i.n") },
    [normal("v", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["p", "1"], 2],
          [["p", "$null"], 1],
          [["q", "2"], 1],
        ]),
      ],
    },
  ),
  {
    ...analysis(
      "periods of different length",
      "The comparison has its own axis; groups are ordered by both periods together",
      [event("v", "a", 1, { c: "x" }), event("v", "a", 4, { c: "y" }), event("v", "a", 1, { c: "y" })],
      {
        ...days(4, 5),
        comparedByTime: true,
        comparedStartTime: "2024-05-01",
        comparedEndTime: "2024-05-01",
        ...by("c"),
      },
      [normal("v", "TOTAL_TIMES")],
      {
        x: starts(4, 5),
        x_compared: starts(1, 1),
        metrics: [
          {
            index: 0,
            group_total: 2,
            groups: [
              { group_cols: ["y"], values: [1, 0], values_compared: [1] },
              { group_cols: ["x"], values: [0, 0], values_compared: [1] },
            ],
          },
        ],
      },
    ),
  },
  analysis(
    "compound filters",
    "(c = x and n > 1) or n = 0",
    [
      event("v", "a", 1, { c: "x", n: 1 }),
      event("v", "b", 1, { c: "x", n: 2 }),
      event("v", "c", 1, { c: "y", n: 0 }),
      event("v", "d", 1, { c: "y", n: 5 }),
    ],
    {
      ...days(1, 1),
      relation: "or",
      filts: [
        {
          filterType: "COMPOUND",
          relation: "and",
          filts: [where("c", "equal", ["x"]), where("n", "greater", ["1"])],
        },
        where("n", "equal", ["0.0"]),
      ],
    },
    [normal("v", "TOTAL_TIMES")],
    { x: starts(1, 1), metrics: [one(0, 2)] },
  ),
  analysis(
    "half an hour of offset",
    "zoneOffset 5.5 moves 18:30Z to the next day, 18:29Z not",
    [event("v", "a", "2024-05-01T18:29:59Z"), event("v", "a", "2024-05-01T18:30:00Z")],
    days(1, 2),
    [normal("v", "TOTAL_TIMES")],
    { x: starts(1, 2), metrics: [one(0, 1, 1)] },
    { zoneOffset: 5.5 },
  ),
  analysis(
    "lists as wholes, sets and elements",
    "[x,y], [y,x] and [x,y,x] are three lists, one set and two elements",
    [
      event("v", "a", 1, { l: ["x", "y"] }),
      event("v", "a", 1, { l: ["y", "x"] }),
      event("v", "a", 1, { l: ["x", "y", "x"] }),
      event("v", "a", 1, { l: ["x", "y"] }),
      event("v", "a", 1, { l: [] }),
    ],
    days(1, 1),
    [
      normal("v", "ARRAY_DISTINCT", { quota: "l" }),
      normal("v", "ARRAY_SET_DISTINCT", { quota: "l" }),
      normal("v", "ARRAY_ITEM_DISTINCT", { quota: "l" }),
      normal("v", "IS_EMPTY", { quota: "l" }),
    ],
    { x: starts(1, 1), metrics: [one(0, 3), one(1, 1), one(2, 2), one(3, 1)] },
  ),
  analysis(
    "quantiles",
    "Linear between neighbours: of 1, 2, 3, 10 the median is 2.5, the 90th percentile 7.9, the 100th 10",
    values("n", [10, 1, 3, 2, null]),
    days(1, 2),
    [
      normal("e", "MEDIAN", { quota: "n" }),
      normal("e", "PERCENTILE", { quota: "n", analysisParams: "90" }),
      normal("e", "PERCENTILE", { quota: "n", analysisParams: "100" }),
      normal("e", "MAX", { quota: "n" }),
      normal("e", "MIN", { quota: "n" }),
    ],
    {
      x: starts(1, 2),
      metrics: [one(0, 2.5, null), one(1, 7.9, null), one(2, 10, null), one(3, 10, null), one(4, 1, null)],
    },
  ),
  analysis(
    "sums of no value",
    "A sum without values is 0, so it is per user; nobody at all is no value",
    [event("v", "a", 1)],
    days(1, 2),
    [
      normal("v", "SUM", { quota: "n" }),
      normal("v", "PER_CAPITA_NUM", { quota: "n" }),
      normal("v", "AVG", { quota: "n" }),
      normal("v", "DISTINCT", { quota: "n" }),
    ],
    { x: starts(1, 2), metrics: [one(0, 0, 0), one(1, 0, null), one(2, null, null), one(3, 0, 0)] },
  ),
  analysis(
    "few numbers are not cut",
    "def keeps each of fewer than twenty different numbers; labels are the numbers",
    values("n", [1.5, 10, 10, -2, null, 1.5, 1.5]),
    { ...days(1, 1), ...by({ columnName: "n", propertyRangeType: "def" }) },
    [normal("e", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["1.5"], 3],
          [["10"], 2],
          [["$null"], 1],
          [["-2"], 1],
        ]),
      ],
    },
  ),
  {
    ...analysis(
      "groups of users",
      "A property of the user groups all its events by the present value",
      [event("v", "a", 1), event("v", "a", 2), event("v", "b", 2)],
      { ...days(1, 2), ...by({ columnName: "country", tableType: "user" }) },
      [normal("v", "TOTAL_TIMES")],
      {
        x: starts(1, 2),
        metrics: [
          rows(0, [
            [["DE"], 1, 1],
            [["$null"], 0, 1],
          ]),
        ],
      },
    ),
    users: [{ u: "a", p: { country: "DE" } }],
  },
  analysis(
    "texts and numbers in filters",
    "notInclude and notRegexMatch want a value; range takes both its ends",
    [
      event("v", "a", 1, { c: "web-1", n: 1 }),
      event("v", "b", 1, { c: "app", n: 2 }),
      event("v", "c", 1, { c: "", n: 3 }),
      event("v", "d", 1, { n: 4 }),
    ],
    days(1, 1),
    [
      normal("v", "TOTAL_TIMES", { filts: [where("c", "notInclude", ["web"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "include", ["eb", "pp"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "regexMatch", ["-[0-9]$"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "notRegexMatch", ["-[0-9]$"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("n", "range", ["2", 3])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "notEqual", ["app", "x"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("never", "isNull")] }),
    ],
    {
      x: starts(1, 1),
      metrics: [one(0, 1), one(1, 2), one(2, 1), one(3, 1), one(4, 2), one(5, 1), one(6, 4)],
    },
  ),
  analysis(
    "items of lists in filters",
    "arrayNotIncludeItem also holds without a list; positions count from 1",
    [event("v", "a", 1, { l: ["x", "y"] }), event("v", "b", 1, { l: ["y"] }), event("v", "c", 1)],
    days(1, 1),
    [
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayIncludeItem", ["x", "z"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayNotIncludeItem", ["x"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayItemPos", [1, "y"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayItemPos", ["2", "y"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayIsNull")] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayNotNull")] }),
    ],
    { x: starts(1, 1), metrics: [one(0, 1), one(1, 2), one(2, 1), one(3, 1), one(4, 1), one(5, 2)] },
  ),
  analysis(
    "times against the event's time",
    "More than a day is more than 24 hours; the same day is a day of the calendar",
    [
      event("v", "a", 3, { t: "2024-05-02 00:59:59" }),
      event("v", "b", 3, { t: "2024-05-02 01:00:00" }),
      event("v", "c", 3, { t: "2024-05-03 23:00:00" }),
      event("v", "d", 3, { t: "2024-05-04 01:00:01" }),
    ],
    days(3, 3),
    [
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeEventBefore", ["1"], { timeUnit: "day" })] }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeEventAfter", [24], { timeUnit: "hour" })] }),
      normal("v", "TOTAL_TIMES", {
        filts: [where("t", "relativeEventAbsolute", [1440], { timeUnit: "minute" })],
      }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeEventThatDay")] }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeCurrentBetween", ["-17", -17])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeCurrentBefore", ["17"])] }),
    ],
    { x: starts(3, 3), metrics: [one(0, 1), one(1, 1), one(2, 2), one(3, 1), one(4, 1), one(5, 2)] },
  ),
  analysis(
    "ties by text",
    "Equal totals are ordered by the JSON text of the group, where no value is $null",
    [" ", "$a", "$o", "a", "B", null, "1"].map((c, at) => event("v", `u${at}`, 1, { c })),
    { ...days(1, 1), ...by("c") },
    [normal("v", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [[" "], 1],
          [["$a"], 1],
          [["$null"], 1],
          [["$o"], 1],
          [["1"], 1],
          [["B"], 1],
          [["a"], 1],
        ]),
      ],
    },
  ),
  analysis(
    "days before",
    "LAST_DAYS 2 of a day is the two days before it, also where they lie before the range",
    [event("v", "a", 1), event("v", "b", 2), event("v", "a", 3), event("v", "a", 5)],
    days(3, 5),
    [
      normal("v", "TOTAL_TIMES", { quotaTimeRanges: [{ index: 0, type: "LAST_DAYS", params: ["2"] }] }),
      normal("v", "TOTAL_TIMES", { quotaTimeRanges: [{ index: 0, type: "RECENT_DAYS", params: [2] }] }),
      normal("v", "TOTAL_TIMES", { quotaTimeRanges: [{ index: 0, type: "THIS_MONTH" }] }),
      normal("v", "TOTAL_TIMES", { quotaTimeRanges: [{ index: 0, type: "TIME_RANGE", params: ["1", "2"] }] }),
    ],
    { x: starts(3, 5), metrics: [one(0, 2, 2, 1), one(1, 2, 1, 1), one(2, 3, 3, 4), one(3, 1, 1, 0)] },
  ),
  userList(
    "users of a formula",
    "The list of a formula has the users of any operand",
    visits,
    { eventView: total(1, 2), events: [formula("v.TOTAL_TIMES / w.TOTAL_TIMES")] },
    ["a", "b", "c"],
  ),
  userList(
    "users of an element",
    "The list of one element has the users whose list holds it",
    [event("v", "a", 1, { l: ["x", "y"] }), event("v", "b", 1, { l: ["y"] }), event("v", "c", 1)],
    {
      eventView: { ...days(1, 1), ...by("l") },
      events: [normal("v", "AVG", { quota: "n" })],
      sliceGroupVal: ["y"],
    },
    ["a", "b"],
  ),
  userList(
    "users without a value",
    "The list of the group of no value over the whole",
    [event("v", "a", 1, { c: "x" }), event("v", "b", 1), event("v", "c", 2, { c: "" }), event("v", "d", 9)],
    {
      eventView: { ...total(1, 2), ...by("c") },
      events: [normal("v", "TOTAL_TIMES")],
      sliceGroupVal: ["$null"],
    },
    ["b", "c"],
  ),
  userList(
    "users of an interval",
    "The list of an interval has the users whose number is in it",
    values("n", [9, 10, 19.9, 20]),
    {
      eventView: { ...days(1, 1), ...by({ columnName: "n", propertyRange: "10,20" }) },
      events: [normal("e", "SUM", { quota: "n" })],
      sliceDate: "2024-05-01",
      sliceGroupVal: ["[10,20)"],
    },
    ["u1", "u2"],
  ),
];
