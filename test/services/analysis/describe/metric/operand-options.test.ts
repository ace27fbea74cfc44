import { expect, it } from "vitest";
import { projectOf, warningsOf } from "../described.ts";
import { formula, normal } from "./metrics.ts";

const userEntity = (index: number) => ({
  index,
  taIdMeasure: { columnName: "#user_id", tableType: "event" },
});

it.each([
  [normal("TOTAL_TIMES", "price"), "events[0].quota has no effect with TOTAL_TIMES"],
  [
    normal("TOTAL_TIMES", "", { analysisParams: "95" }),
    "events[0].analysisParams has no effect without PERCENTILE",
  ],
  [
    normal("TOTAL_TIMES", "", { metricName: "dau" }),
    "events[0].metricName has no effect together with analysis",
  ],
  [
    normal("TOTAL_TIMES", "", { customEvent: "login.TOTAL_TIMES" }),
    'events[0].customEvent has no effect with the type "normal"',
  ],
  [
    formula("pay.TOTAL_TIMES", { analysis: "SUM" }),
    "events[0].analysis has no effect together with customEvent",
  ],
  [formula("pay.TOTAL_TIMES", { quota: "price" }), "events[0].quota has no effect together with customEvent"],
  [
    formula("pay.TOTAL_TIMES", { metricName: "dau" }),
    "events[0].metricName has no effect together with customEvent",
  ],
  [
    formula("", { metricName: "dau", quota: "price" }),
    "events[0].quota has no effect together with metricName",
  ],
  [
    normal("", "", { metricName: "dau", customEvent: "pay.TOTAL_TIMES" }),
    "events[0].customEvent has no effect together with metricName",
  ],
  [
    formula("", { metricName: "dau", analysis: "SUM" }),
    "events[0].analysis has no effect together with metricName",
  ],
  [
    normal("SUM", "price", { quotaEntities: [userEntity(0)] }),
    "events[0].quotaEntities[0] has no effect with SUM",
  ],
  [
    formula("pay.TRIG_USER_NUM / pay.TOTAL_TIMES", { quotaEntities: [userEntity(0), userEntity(1)] }),
    "events[0].quotaEntities[1] has no effect with TOTAL_TIMES",
  ],
  [
    { ...normal("TOTAL_TIMES"), eventName: "logn" },
    'events[0].eventName: event "logn" is not known, it has no records; the nearest is "login", valid are "login", "pay", "level_up"',
  ],
  [
    normal("TOTAL_TIMES", "", { format: "float2" }),
    'events[0].format "float2" (the nearest is "float", valid are "float", "float3", "float4", "percent", "integer") is unknown and was ignored',
  ],
  [
    { ...normal("TOTAL_TIMES"), eventName: "gone" },
    'events[0].eventName: event "gone" is not known, it has no records; valid are "login", "pay", "level_up"',
  ],
  [
    formula("gone.TOTAL_TIMES"),
    'events[0].customEvent: event "gone" is not known, it has no records; valid are "login", "pay", "level_up"',
  ],
])("warns of what has no effect in %j", (metric, warning) => {
  const project = projectOf({ metrics: { dau: { eventName: "login", analysis: "TRIG_USER_NUM" } } });
  expect(warningsOf({ events: [metric] }, project)).toEqual([warning]);
});
