import type { OracleCase } from "../oracle-cases.ts";
import { analysis, by, days, event, from, normal, one, starts } from "./builders.ts";

export const timeCases: readonly OracleCase[] = [
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
    "half an hour of offset",
    "zoneOffset 5.5 moves 18:30Z to the next day, 18:29Z not",
    [event("v", "a", "2024-05-01T18:29:59Z"), event("v", "a", "2024-05-01T18:30:00Z")],
    days(1, 2),
    [normal("v", "TOTAL_TIMES")],
    { x: starts(1, 2), metrics: [one(0, 1, 1)] },
    { zoneOffset: 5.5 },
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
];
