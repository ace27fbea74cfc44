import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  AnalyzeEventsResponseSchema,
  DownloadEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Comparator } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import type { EventQuery, EventUserDownloadQuery } from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { AnalysisEngine } from "../../../services/analysis/engine.ts";
import { createChannelFunnels } from "../../../services/bridges/channel-funnels.ts";
import type { FunnelQuery } from "../../../services/channel/ports.ts";

/** Users by event and group. */
const happened: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  open: { "g1 en": ["1", "2"], "g2 en": ["3"] },
  click: { "g1 en": ["2"] },
  buy: { "": ["2", "3", "4"] },
};

const filtersOf = ({ events }: EventQuery | EventUserDownloadQuery) =>
  (events[0]?.filts ?? []).map(({ columnName, comparator, ftv }) => [
    columnName.replace("#ops_receipt_properties.", ""),
    comparator === Comparator.IS_NULL ? null : ftv[0],
  ]);

/** Counts what happened, and notes the filters of each query. */
function createEngine() {
  const filters: unknown[] = [];
  const engine: Pick<AnalysisEngine, "analyze" | "downloadUsers"> = {
    async analyze(query) {
      filters.push(filtersOf(query));
      const isGrouped = (query.eventView?.groupBy ?? []).length > 0;
      const y = query.events.map(({ eventName }, eventIndex) => {
        const groups = Object.entries(happened[eventName]!);
        const all = groups.flatMap(([, users]) => users).length;
        return {
          eventIndex,
          entries: isGrouped
            ? groups.map(([group, users]) => ({
                groupCols: group.split(" ").map((value) => ({ value: { case: "label" as const, value } })),
                values: { numbers: [users.length] },
              }))
            : [{ groupCols: [], values: { numbers: [all] } }],
        };
      });
      return { message: create(AnalyzeEventsResponseSchema, { data: { y } }) };
    },
    async *downloadUsers(query) {
      filters.push(filtersOf(query));
      const found = Object.fromEntries(filtersOf(query));
      const group = [found["ops_exp_group_id"], found["ops_push_language"]].join(" ").trim();
      const groups = happened[query.events[query.eventIndex ?? 0]!.eventName]!;
      const users = group === "" ? Object.values(groups).flat() : (groups[group] ?? []);
      const rows = users.map((id) => ({
        values: [{ kind: { case: "stringValue" as const, value: id } }],
      }));
      yield create(DownloadEventUsersResponseSchema, { content: { case: "rows", value: { rows } } });
    },
  };
  return { filters, engine: engine as AnalysisEngine };
}

const query: FunnelQuery = {
  projectId: 1,
  receipt: { ops_task_instance_id: "t1_1" },
  events: ["open", "click"],
  conversionEvents: [],
  fromMs: Date.UTC(2026, 0, 1),
  toMs: Date.UTC(2026, 0, 2),
};
const { signal } = new AbortController();

describe("funnels of channels", () => {
  it("count the users of each event by the receipt, of all and of each segment", async () => {
    const { engine, filters } = createEngine();
    const count = createChannelFunnels({ projects: new Map([[1, { engine }]]) });
    expect(await count(query, signal)).toEqual({
      users: [3, 1],
      conversions: 0,
      segments: [
        { groupId: "g1", language: "en", users: [2, 1], conversions: 0 },
        { groupId: "g2", language: "en", users: [1, 0], conversions: 0 },
      ],
    });
    expect(filters).toEqual([[["ops_task_instance_id", "t1_1"]], [["ops_task_instance_id", "t1_1"]]]);
  });

  it("count as conversions the users who also had a conversion event, with any receipt", async () => {
    const { engine, filters } = createEngine();
    const count = createChannelFunnels({ projects: new Map([[1, { engine }]]) });
    const found = await count({ ...query, conversionEvents: ["buy"] }, signal);
    expect(found).toMatchObject({ conversions: 2, segments: [{ conversions: 1 }, { conversions: 1 }] });
    expect(filters).toContainEqual([]);
    expect(filters).toContainEqual([
      ["ops_task_instance_id", "t1_1"],
      ["ops_exp_group_id", "g1"],
      ["ops_push_language", "en"],
    ]);
  });

  it("are 0 in a project that is not configured", async () => {
    const count = createChannelFunnels({ projects: new Map() });
    expect(await count(query, signal)).toEqual({ users: [0, 0], conversions: 0, segments: [] });
  });
});
