import { Code, ConnectError } from "@connectrpc/connect";
import { AnalysisProxy } from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  Catalog,
  type CatalogProperty,
  EventOrder,
  PropertyTable,
} from "../../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { ClusterKind } from "../../../../../gen/engage/analysis/v1/cluster_pb.ts";
import { clientOf } from "../../../rpc/transport.ts";
import type { EventDays } from "../state/edits.ts";
import { type ColumnType, columnTypeOf } from "../state/rules.ts";

/** What the queries of a project can name, for suggestions: other names are valid too. */
export interface Names {
  /** The most frequent first. */
  readonly events: readonly string[];
  /** The days of the most frequent event; undefined if there is none. */
  readonly days: EventDays | undefined;
  readonly eventProperties: readonly CatalogProperty[];
  readonly userProperties: readonly CatalogProperty[];
  readonly cohorts: readonly string[];
  readonly tags: readonly string[];
  readonly metrics: readonly string[];
}

export const noNames: Names = {
  events: [],
  days: undefined,
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
    const namesOf = (kind: ClusterKind): readonly string[] => [
      ...new Set(clusters.clusters.filter((one) => one.kind === kind).map(({ name }) => name)),
    ];
    return {
      events: events.events.map(({ name }) => name),
      days: events.events[0],
      eventProperties: own.properties,
      userProperties: user.properties,
      cohorts: namesOf(ClusterKind.COHORT),
      tags: namesOf(ClusterKind.TAG),
      metrics: metrics.metrics.map(({ name }) => name),
    };
  } catch (error) {
    if (ConnectError.from(error).code === Code.FailedPrecondition) return noNames;
    throw error;
  }
}

/** The words of tables that the form offers. */
export const tables = ["event", "user", "cluster"] as const;

/** Returns the names of columns of a table, of the given types if they are known. */
export function columnsOf(names: Names, table: string, types?: readonly ColumnType[]): readonly string[] {
  if (table === "cluster" || table === "user_cluster") return [...names.cohorts, ...names.tags];
  const properties = table === "user" ? names.userProperties : names.eventProperties;
  return properties
    .filter(({ type, group }) => {
      const known = columnTypeOf(type, group);
      return types === undefined || known === undefined || types.includes(known);
    })
    .map(({ name }) => name);
}

/** Returns the type of a column; undefined where it is not known. */
export function typeOfColumn(names: Names, table: string, column: string): ColumnType | undefined {
  if (table === "cluster" || table === "user_cluster") {
    if (names.cohorts.includes(column)) return "cohort";
    return names.tags.includes(column) ? "text" : undefined;
  }
  const properties = table === "user" ? names.userProperties : names.eventProperties;
  const found = properties.find(({ name }) => name === column);
  return found && columnTypeOf(found.type, found.group);
}
