import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { computeFunnels } from "../../../../services/channel/delivery/funnels.ts";
import type { FunnelQuery, FunnelResult } from "../../../../services/channel/ports.ts";
import type { RunStatistics, StoredRun } from "../../../../store/channels/channels.ts";
import { channelWith } from "../content/template.ts";

const { signal } = new AbortController();
const run = { runId: "t1_2024-01-01", startedAtMs: 1_000, endedAtMs: 5_000 } as StoredRun;
const hourMs = 3_600_000;

async function funnelsOf(
  given: { funnel?: object; journey?: object; segments?: readonly object[] },
  found: FunnelResult,
) {
  const queries: FunnelQuery[] = [];
  const request = {
    channel: channelWith({ funnel: given.funnel ?? {} }),
    task: create(TaskSchema, given.journey === undefined ? {} : { journey: given.journey }),
    run,
    statistics: { sent: 10, succeeded: 8, segments: given.segments ?? [] } as unknown as RunStatistics,
  };
  const events = async (query: FunnelQuery) => {
    queries.push(query);
    return found;
  };
  const funnels = await computeFunnels(request, events, 9_000, signal);
  const shown = funnels.map(({ groupId, language, steps = [] }) => [
    groupId,
    language,
    ...steps.map(({ name, users }) => `${name} ${users}`),
  ]);
  return { query: queries[0], shown };
}

const nothing = { users: [], conversions: 0, segments: [] };

describe("the funnel of a run", () => {
  it("goes from sent to clicks", async () => {
    const { query, shown } = await funnelsOf({}, { users: [3], conversions: 0, segments: [] });
    expect(shown).toEqual([[undefined, undefined, "sent 10", "succeeded 8", "click 3"]]);
    expect(query).toEqual({
      projectId: 1,
      receipt: { ops_task_instance_id: "t1_2024-01-01" },
      conversionEvents: [],
      events: ["ops_push_click"],
      fromMs: 1_000,
      toMs: 5_000 + 24 * hourMs,
    });
  });

  it("has the steps and goals of its channel", async () => {
    const funnel = {
      stepEvents: ["shown"],
      clickEvent: "tap",
      conversionEvents: ["pay"],
      conversionWindowHours: 1,
    };
    const { query, shown } = await funnelsOf({ funnel }, { users: [5, 3], conversions: 1, segments: [] });
    expect(shown[0]?.slice(2)).toEqual(["sent 10", "succeeded 8", "shown 5", "click 3", "conversion 1"]);
    expect(query).toMatchObject({
      events: ["shown", "tap"],
      conversionEvents: ["pay"],
      toMs: 5_000 + hourMs,
    });
  });

  it("of a journey goes by its ids", async () => {
    const journey = { flowId: "f", flowVersion: "2", nodeId: "n" };
    const { query } = await funnelsOf({ journey }, nothing);
    expect(query?.receipt).toEqual({ ops_flow_id: "f", ops_flow_version: "2", ops_node_id: "n" });
  });

  it("is split up where there are several groups or languages", async () => {
    const segments = [
      { groupId: "A", language: "default", sent: 6, succeeded: 5 },
      { groupId: "B", language: "default", sent: 4, succeeded: 3 },
    ];
    const found = {
      users: [2],
      conversions: 0,
      segments: [{ groupId: "A", language: "", users: [2], conversions: 0 }],
    };
    expect((await funnelsOf({ segments }, found)).shown).toEqual([
      [undefined, undefined, "sent 10", "succeeded 8", "click 2"],
      ["A", "", "sent 6", "succeeded 5", "click 2"],
      ["B", "", "sent 4", "succeeded 3", "click 0"],
    ]);
  });
});
