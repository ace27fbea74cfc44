import { Code, ConnectError } from "@connectrpc/connect";
import { AnalysisProxy } from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Catalog, EventOrder, PropertyTable } from "../../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { ClusterKind } from "../../../../../gen/engage/analysis/v1/cluster_pb.ts";
import { type ColumnNames, clusterNames } from "../../../filters/column-names.ts";
import { pause } from "../../../rpc/pause.ts";
import { clientOf } from "../../../rpc/transport.ts";
import type { EventDays } from "../state/edits.ts";

/** What the queries of a project can name, for suggestions: other names are valid too. */
export interface Names extends ColumnNames {
  /** The most frequent first. */
  readonly events: readonly string[];
  /** The days of the events. */
  readonly days: ReadonlyMap<string, EventDays>;
  readonly metrics: readonly string[];
}

export const noNames: Names = {
  events: [],
  days: new Map(),
  eventProperties: [],
  userProperties: [],
  cohorts: [],
  tags: [],
  metrics: [],
};

const catalog = clientOf(Catalog);
const analysis = clientOf(AnalysisProxy);
const pageSize = 1_000;

/** Loads the names of a project; none for one whose data an upstream platform has. */
export async function loadNames(projectId: bigint, signal: AbortSignal): Promise<Names> {
  const of = { projectId, pageSize };
  const options = { signal };
  try {
    const [events, own, user, metrics, clusters] = await Promise.all([
      catalog.listEvents({ ...of, order: EventOrder.COUNT }, options),
      catalog.listProperties({ ...of, table: PropertyTable.EVENT }, options),
      catalog.listProperties({ ...of, table: PropertyTable.USER }, options),
      catalog.listMetrics({ projectId }, options),
      analysis.listClusters({ projectId }, options),
    ]);
    return {
      events: events.events.map(({ name }) => name),
      days: new Map(events.events.map((event) => [event.name, event])),
      eventProperties: own.properties,
      userProperties: user.properties,
      cohorts: clusterNames(clusters.clusters, ClusterKind.COHORT),
      tags: clusterNames(clusters.clusters, ClusterKind.TAG),
      metrics: metrics.metrics.map(({ name }) => name),
    };
  } catch (error) {
    if (ConnectError.from(error).code === Code.FailedPrecondition) return noNames;
    throw error;
  }
}

const maxWaits = 5;
const waitMs = 1_000;

/**
 * Waits until the catalogue has an event, for a few seconds at most: records that were imported just now are in it
 * when they are written.
 */
export async function appearance(projectId: bigint, event: string, signal: AbortSignal): Promise<void> {
  for (let waits = 0; waits < maxWaits; waits++) {
    try {
      await catalog.getEvent({ projectId, event }, { signal });
      return;
    } catch (error) {
      if (ConnectError.from(error).code !== Code.NotFound) return;
    }
    await pause(waitMs, signal);
  }
}
