import { describe, expect, it } from "vitest";
import type {
  AnalyzeEventsRequest,
  ListEventUsersRequest,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Aggregation } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { Comparator } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { WarningReason } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { createToolRig } from "./tool-rig.ts";

const logins = { recent_day: "1-7", metrics: [{ event: "login" }] };

describe("query", () => {
  const seen: AnalyzeEventsRequest[] = [];
  const label = (text: string) => ({ value: { case: "label", value: text } }) as const;
  const nothing = { value: { case: "nullValue", value: 0 } } as const;
  const series = (...numbers: number[]) => ({ numbers });
  const rig = createToolRig({
    analysis: {
      analyzeEvents(request) {
        seen.push(request);
        return {
          data: {
            unionGroups: [{ groupCols: [label("Bern")] }, { groupCols: [nothing] }],
            unionGroupNum: 5,
            x: [{ label: "2026-02-27" }, { label: "2026-02-28" }],
            y: [
              {
                resultKey: "login.TOTAL_TIMES",
                entries: [
                  { groupCols: [label("Bern")], values: series(3, 4) },
                  { groupCols: [nothing], values: series(1, Number.NaN) },
                ],
              },
              {
                resultKey: "pay.amount.SUM",
                entries: [{ groupCols: [label("Bern")], values: series(2.5, 0) }],
              },
            ],
            info: {
              range: { startTime: "2026-02-27 00:00:00", endTime: "2026-02-28 23:59:59" },
              zone: { zone: { case: "name", value: "Europe/Zurich" } },
              truncated: true,
              warnings: [{ reason: WarningReason.TRUNCATED, message: "limit: 3 groups are left out" }],
            },
          },
        };
      },
    },
  });
  const args = {
    ...logins,
    metrics: [{ event: "login" }, { event: "pay", measure: "SUM", property: "amount" }],
    group_by: [{ column: "city" }],
    filters: [{ column: "level", table: "user", comparator: "greater", values: [3] }],
  };

  it("returns a table with the range, the zone and the groups left out", async () => {
    expect(await rig.call("query", args)).toEqual({
      project_id: 1,
      range: { start_time: "2026-02-27 00:00:00", end_time: "2026-02-28 23:59:59" },
      zone: "Europe/Zurich",
      warnings: ["limit: 3 groups are left out"],
      groups: 2,
      groups_left_out: 3,
      row_count: 4,
      columns: ["time", "city", "login.TOTAL_TIMES", "pay.amount.SUM"],
      rows: [
        ["2026-02-27", "Bern", 3, 2.5],
        ["2026-02-28", "Bern", 4, 0],
        ["2026-02-27", null, 1, null],
        ["2026-02-28", null, null, null],
      ],
      has_more: false,
    });
    const { query } = seen.at(-1)!;
    expect(query).toMatchObject({ projectId: 1n, limit: 100 });
    expect(query?.events.map(({ analysis, quota }) => [analysis, quota])).toEqual([
      [Aggregation.TOTAL_TIMES, ""],
      [Aggregation.SUM, "amount"],
    ]);
    expect(query?.eventView?.filts).toMatchObject([{ comparator: Comparator.GREATER, ftv: ["3"] }]);
  });
});

describe("a query with an unknown name", () => {
  it("is refused, instead of a zero that a model takes for a result", async () => {
    const message =
      'events[0].eventName: event "logn" is not known, it has no events; the nearest is "login"';
    const rig = createToolRig({
      analysis: {
        analyzeEvents: () => ({
          data: { info: { warnings: [{ reason: WarningReason.UNKNOWN_NAME, message }] } },
        }),
      },
    });
    expect(await rig.failureOf("query", { ...logins, metrics: [{ event: "logn" }] })).toBe(message);
  });
});

describe("a long table", () => {
  const rows = 3_000;
  const rig = createToolRig({
    analysis: {
      analyzeEvents: () => ({
        data: {
          unionGroups: [{}],
          unionGroupNum: 1,
          x: Array.from({ length: rows }, (_, i) => ({ label: `2026-02-28 ${i}` })),
          y: [
            { resultKey: "n", entries: [{ values: { numbers: Array.from({ length: rows }, (_, i) => i) } }] },
          ],
        },
      }),
    },
  });

  it("is read in parts, each row once", async () => {
    const found: number[] = [];
    let cursor: string | undefined = "";
    while (cursor !== undefined) {
      const part = await rig.call("query", { ...logins, unit: "minute", cursor });
      found.push(...part.rows.map(([, n]: [string, number]) => n));
      cursor = part.cursor;
    }
    expect(found).toEqual(Array.from({ length: rows }, (_, i) => i));
  });
});

describe("users_behind", () => {
  it("lists ids and the chosen properties of the users of one number", async () => {
    const seen: ListEventUsersRequest[] = [];
    const rig = createToolRig({
      analysis: {
        listEventUsers(request) {
          seen.push(request);
          return {
            data: { datalist: [{ userId: "12", accountId: "ann", properties: { city: "Bern", vip: 3 } }] },
          };
        },
      },
    });
    const found = await rig.call("users_behind", {
      query: { ...logins, group_by: [{ column: "city" }] },
      time: "2026-02-28",
      group: [null],
      columns: ["vip", "age"],
    });
    expect(found).toMatchObject({
      users: 1,
      columns: ["user_id", "account_id", "distinct_id", "vip", "age"],
      rows: [["12", "ann", null, 3, null]],
    });
    expect(seen[0]?.query).toMatchObject({
      sliceDate: "2026-02-28",
      eventIndex: 0,
      sliceGroupVal: [{ value: { case: "nullValue" } }],
    });
  });
});
