import type { MessageInitShape } from "@bufbuild/protobuf";
import { AnalysisProxy } from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ClusterKind } from "../../../../gen/engage/analysis/v1/cluster_pb.ts";
import { TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import { Aggregation, MetricType } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { EventQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import type { World } from "../world.ts";

/** Users who paid by city, on each of two days. */
export const query = {
  projectId: 1n,
  eventView: {
    startTime: "2026-03-03",
    endTime: "2026-03-04",
    timeParticleSize: TimeParticleSize.DAY,
    groupBy: [{ columnName: "city", tableType: TableType.USER }],
  },
  events: [{ type: MetricType.NORMAL, eventName: "pay", analysis: Aggregation.TRIG_USER_NUM }],
} satisfies MessageInitShape<typeof EventQuerySchema>;

/** Selects the first number of the result, whose users are asked for. */
const slice = {
  ...query,
  sliceDate: "2026-03-03",
  sliceGroupVal: [{ value: { case: "label" as const, value: "Cologne" } }],
  eventIndex: 0,
};

const unknownProject = { ...query, projectId: 7n };

export async function playAnalysis({ calls }: World): Promise<void> {
  const { method } = AnalysisProxy;
  await calls.unary(method.analyzeEvents, { query });
  await calls.unary(method.listEventUsers, { query: slice });
  await calls.serverStream(method.downloadEvents, { query });
  await calls.serverStream(method.downloadEventUsers, {
    query: { ...slice, selectedColumns: ["#account_id", "level", "city"] },
  });
  await calls.refused(method.analyzeEvents, { query: unknownProject });
  await calls.refused(method.listEventUsers, { query: { ...slice, projectId: 7n } });
  await calls.refused(method.downloadEvents, { query: unknownProject });
  await calls.refused(method.downloadEventUsers, {
    query: { ...slice, projectId: 7n, selectedColumns: ["#account_id"] },
  });
  await playForwarding(calls);
  await playClusters(calls);
}

async function playForwarding(calls: World["calls"]): Promise<void> {
  const { forwardQuery } = AnalysisProxy.method;
  const bodyOf = (projectId: number) => ({
    contentType: "application/json",
    data: Buffer.from(JSON.stringify({ projectId, eventView: { recentDay: "1-2" } })),
  });
  await calls.serverStream(forwardQuery, { path: "retention-analyze", body: bodyOf(2) });
  await calls.refused(forwardQuery, { path: "retention-analyze", body: bodyOf(7) });
}

async function playClusters(calls: World["calls"]): Promise<void> {
  const { importCluster, listClusters } = AnalysisProxy.method;
  const header = { projectId: 1n, name: "testers", day: "2026-03-05", kind: ClusterKind.COHORT };
  const members = ["ann", "bob", "zoe"].map((accountId) => ({
    id: { case: "accountId" as const, value: accountId },
  }));
  await calls.clientStream(importCluster, [
    { content: { case: "header", value: header } },
    { content: { case: "members", value: { members } } },
  ]);
  await calls.unary(listClusters, { projectId: 1n });
}
