import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { Aggregation, MetricType } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { EventQuerySchema } from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import { matchMetrics } from "../../../../../services/analysis/platform/decode/match-metrics.ts";

const { NORMAL, CUSTOMIZED } = MetricType;
const { TOTAL_TIMES, SUM } = Aggregation;

describe("results find their metrics", () => {
  const metrics = create(EventQuerySchema, {
    events: [
      { type: NORMAL, eventName: "login", analysis: TOTAL_TIMES },
      { type: NORMAL, eventName: "pay", quota: "amount", analysis: SUM, eventSplitIndexes: [0] },
      { type: CUSTOMIZED, eventName: "rate", customEvent: "a.TOTAL_TIMES/b.TOTAL_TIMES" },
      { type: NORMAL, eventName: "login", analysis: TOTAL_TIMES },
    ],
  }).events;
  const match = (keys: string[]) =>
    matchMetrics(keys, metrics)?.map((one) => [one.eventIndex, one.splitValue]);

  test.each([
    ["in order", ["login.TOTAL_TIMES", "pay.amount.SUM", "rate", "login.TOTAL_TIMES"], [0, 1, 2, 3]],
    ["with numbers", ["1_login.TOTAL_TIMES", "pay.amount.SUM", "rate", "2_login.TOTAL_TIMES"], [0, 1, 2, 3]],
    ["in another order", ["rate", "login.TOTAL_TIMES", "login.TOTAL_TIMES", "pay.SUM"], [2, 0, 3, 1]],
    ["some only", ["rate"], [2]],
    ["by place where keys say nothing", ["A", "B", "C", "D"], [0, 1, 2, 3]],
  ])("%s", (_name, keys, expected) => {
    expect(match(keys)).toEqual(expected.map((index) => [index, undefined]));
  });

  test("with the values of the event split", () => {
    expect(match(["pay.amount.SUM(a)", "pay.amount.SUM((null))", "login.TOTAL_TIMES"])).toEqual([
      [1, "a"],
      [1, "(null)"],
      [0, undefined],
    ]);
  });

  test("or not at all", () => {
    expect(match(["A", "B"])).toBeUndefined();
  });
});
