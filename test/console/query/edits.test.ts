import { describe, expect, test } from "vitest";
import { readJsonTree } from "../../../console/src/controls/json-tree.ts";
import { pathOf, withComparator, withText } from "../../../console/src/filters/edits.ts";
import { readMessage } from "../../../console/src/filters/read-message.ts";
import { textAt, valueAt, withValue, writeTree } from "../../../console/src/filters/tree.ts";
import {
  comparedRange,
  dayOf,
  hasTimes,
  mainRange,
  rangeChoiceOf,
} from "../../../console/src/pages/query/state/days.ts";
import {
  type EventDays,
  eventQuery,
  firstQuery,
  metricKindOf,
  openFields,
  withAggregation,
  withMetricKind,
  withNumber,
  withSplit,
} from "../../../console/src/pages/query/state/edits.ts";
import {
  entryOf,
  operandsOf,
  withCounted,
  withIndex,
  withWindow,
} from "../../../console/src/pages/query/state/operands.ts";
import { previousRange, withComparison } from "../../../console/src/pages/query/state/previous-range.ts";
import { EventQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import { parseArithmetic } from "../../../services/analysis/describe/metric/arithmetic.ts";

const read = (json: string) => readJsonTree(json)!;
const first = firstQuery(2n ** 60n + 1n, "login", "2026-11-29");

test("the first query is whole and keeps all digits of the project", () => {
  expect(openFields(first)).toEqual([]);
  expect(readMessage(EventQuerySchema, first).message.projectId).toBe(2n ** 60n + 1n);
  expect(openFields(firstQuery(1n, "", "2026-11-29"))).toEqual(["events[0].eventName"]);
});

test.each<[string, EventDays, Record<string, string>]>([
  ["of the last week", { firstDay: "2026-01-01", lastDay: "2026-11-23" }, { recentDay: "0-7" }],
  [
    "of before, for its last 30 days",
    { firstDay: "2025-01-01", lastDay: "2026-11-22" },
    { startTime: "2026-10-24 00:00:00", endTime: "2026-11-22 23:59:59" },
  ],
  [
    "of before, for all of its days if they are fewer",
    { firstDay: "2025-12-30", lastDay: "2026-01-02" },
    { startTime: "2025-12-30 00:00:00", endTime: "2026-01-02 23:59:59" },
  ],
])("the first query shows events %s", (_when, days, range) => {
  const tree = firstQuery(1n, "login", "2026-11-29", days);
  expect(JSON.parse(writeTree(tree)).eventView).toEqual({ ...range, timeParticleSize: "day" });
});

test.each([
  ["2026-01-01", "2026-04-02", "day"],
  ["2026-01-01", "2026-04-03", "week"],
  ["2024-01-01", "2025-12-31", "week"],
  ["2024-01-01", "2026-01-01", "month"],
])("the query of an event from %s to %s has a number for each %s", (firstDay, lastDay, timeParticleSize) => {
  const tree = eventQuery(2n ** 60n + 1n, "sales", { firstDay, lastDay });
  expect(openFields(tree)).toEqual([]);
  expect(readMessage(EventQuerySchema, tree).message.projectId).toBe(2n ** 60n + 1n);
  expect(JSON.parse(writeTree(tree)).eventView).toEqual({
    startTime: `${firstDay} 00:00:00`,
    endTime: `${lastDay} 23:59:59`,
    timeParticleSize,
  });
});

test.each([
  ["normal", '"analysis":"SUM","metricName":"m"', "event"],
  ["normal", '"metricName":"m"', "named"],
  ["customized", '"customEvent":"a.SUM"', "formula"],
  ["customized", '"metricName":"m","customEvent":""', "named"],
])("a metric of type %s with %s is a %s", (type, members, kind) => {
  expect(metricKindOf(read(`{"type":"${type}",${members}}`), [])).toBe(kind);
});

describe("an edit", () => {
  const metric = ["events", 0] as const;

  test("of the kind keeps what the form does not show", () => {
    const own = withValue(first, ["events", 0, "mine"], read("[1]"))!;
    for (const kind of ["formula", "named", "event"] as const) {
      const changed = withMetricKind(own, metric, kind);
      expect(metricKindOf(changed, metric)).toBe(kind);
      expect(writeTree(changed)).toContain('"mine":[1]');
    }
    expect(openFields(withMetricKind(own, metric, "formula"))).toEqual(["events[0].customEvent"]);
    expect(openFields(withMetricKind(own, metric, "named"))).toEqual(["events[0].metricName"]);
  });

  test("of the aggregation asks for the property that it needs, and drops it where it needs none", () => {
    const sum = withAggregation(first, metric, "SUM");
    expect(openFields(sum)).toEqual(["events[0].quota"]);
    const whole = withText(sum, [...metric, "quota"], "price");
    const percentile = withAggregation(whole, metric, "PERCENTILE");
    expect(textAt(percentile, [...metric, "analysisParams"])).toBe("90");
    expect(writeTree(withAggregation(percentile, metric, "TOTAL_TIMES"))).toBe(writeTree(first));
  });

  test.each([
    ["range", '{"comparator":"range","ftv":["a",""]}'],
    ["equal", '{"comparator":"equal","ftv":["a","b","c"]}'],
    ["isNull", '{"comparator":"isNull"}'],
    ["relativeEventAfter", '{"comparator":"relativeEventAfter","ftv":["a"],"timeUnit":"day"}'],
  ])("of the comparator to %s has as many literals as that takes", (word, json) => {
    const literals = word === "range" ? '["a"]' : '["a","b","c"]';
    const filter = read(`{"comparator":"less","ftv":${literals}}`);
    expect(writeTree(withComparator(filter, [], word))).toBe(json);
  });

  test.each([
    ["12", "12"],
    ["5.50", "5.50"],
    ["-3", "-3"],
    ["5.", '"5."'],
    ["x", '"x"'],
    [" ", undefined],
  ])("of a number to %j writes %s", (text, json) => {
    const written = valueAt(withNumber(first, ["limit"], text), ["limit"]);
    expect(written && writeTree(written)).toBe(json);
  });

  test("of the subject, the window and the split reads as its message", () => {
    const counted = withCounted(withCounted(first, metric, 0, "x"), metric, 0, "#device_id");
    const windowed = withWindow(counted, metric, 0, "TIME_RANGE", 2);
    const { message, faults, ignored } = readMessage(EventQuerySchema, withSplit(windowed, true));
    expect([...faults, ...ignored]).toEqual([]);
    expect(message.events[0]).toMatchObject({
      quotaEntities: [{ index: 0, taIdMeasure: { columnName: "#device_id" } }],
      quotaTimeRanges: [{ index: 0, type: 5, params: ["7", "0"] }],
    });
    expect(message.eventView?.eventSplit?.event?.eventName).toBe("anyEvent");
    const undone = withSplit(withWindow(withCounted(windowed, metric, 0, ""), metric, 0, "", 0), false);
    expect(writeTree(undone)).toBe(writeTree(first));
  });
});

describe("operands of a formula", () => {
  test.each([
    "a.SUM / b.c.AVG",
    "(login.TOTAL_TIMES + 2.5e3)*$metric.x - .5",
    "1 day.SUM",
    " 登录.TOTAL_TIMES*2 ",
  ])("%s are those of the server", (formula) => {
    expect(operandsOf(formula)).toEqual(parseArithmetic(formula).operands);
  });

  test("have entries by their numbers, in whatever order", () => {
    const metric = ["events", 0] as const;
    const second = withCounted(first, metric, 1, "#device_id");
    const both = withWindow(withCounted(second, metric, 0, "x"), metric, 1, "THIS_WEEK", 0);
    expect(readMessage(EventQuerySchema, both).message.events[0]).toMatchObject({
      quotaEntities: [
        { index: 1, taIdMeasure: { columnName: "#device_id" } },
        { index: 0, taIdMeasure: { columnName: "x" } },
      ],
      quotaTimeRanges: [{ index: 1, type: 3 }],
    });
    expect(entryOf(both, metric, "quotaEntities", 0)).toEqual([...metric, "quotaEntities", 1]);
    const filters = entryOf(both, metric, "customFilters", 1);
    expect(filters).toEqual([...metric, "customFilters", 0]);
    expect(textAt(withIndex(both, filters, 1), [...filters, "index"])).toBe("1");
    const one = withCounted(both, metric, 1, "");
    expect(textAt(one, [...metric, "quotaEntities", 0, "index"])).toBe("0");
  });
});

test("a place is written as in the server's messages", () => {
  expect(pathOf(["eventView", "filts", 0, "ftv", 1])).toBe("eventView.filts[0].ftv[1]");
});

test("filters within groups are found when they are open", () => {
  const tree = read(
    '{"eventView":{"filts":[{"filterType":"COMPOUND","filts":[{"columnName":"a","comparator":"range","ftv":["1",""]}]}]}}',
  );
  expect(openFields(tree)).toEqual(["eventView.filts[0].filts[0].ftv[1]"]);
});

describe("ranges", () => {
  test.each([
    ["0-1", "1-1"],
    ["1-1", "2-2"],
    ["1-7", "8-14"],
    ["0-7", "7-13"],
    ["3-5", "6-8"],
    ["W0", "W1"],
    ["M0", "M1"],
    ["W1", undefined],
    ["7-1", undefined],
    ["StartToNow", undefined],
  ])("before %s is %s", (range, previous) => expect(previousRange(range)).toBe(previous));

  test.each([
    ['"recentDay":"1-7"', "1-7"],
    ['"recentDay":"2-9"', "typed"],
    ['"recentDay":"StartToNow"', "StartToNow"],
    ['"startTime":"2026-01-01"', "days"],
  ])("%s is shown as %s", (members, choice) => {
    expect(rangeChoiceOf(read(`{"eventView":{${members}}}`), mainRange)).toBe(choice);
  });

  test.each([
    ["2026-01-01", "2026-01-02 23:59:59", false],
    ["2026-01-01 00:00:00", "2026-01-02", false],
    ["2026-01-01 08:00:00", "2026-01-02", true],
    ["2026-01-01", "2026-01-02 12:00:00", true],
  ])("from %s to %s has times: %s", (start, end, has) => {
    const tree = read(`{"eventView":{"startTime":"${start}","endTime":"${end}"}}`);
    expect(hasTimes(tree, mainRange)).toBe(has);
    expect(dayOf(textAt(tree, mainRange.start))).toBe("2026-01-01");
  });

  test("a comparison begins with the days before, and keeps those that are given", () => {
    const days = read('{"eventView":{"startTime":"2026-03-01","endTime":"2026-03-07 23:59:59"}}');
    const compared = withComparison(days, true);
    expect(textAt(compared, comparedRange.start)).toBe("2026-02-22");
    expect(textAt(compared, comparedRange.end)).toBe("2026-02-28");
    const again = withComparison(withComparison(compared, false), true);
    expect(textAt(again, comparedRange.start)).toBe("2026-02-22");
    expect(textAt(withComparison(first, true), comparedRange.recentDay)).toBe("7-13");
  });
});
