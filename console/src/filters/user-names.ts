import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Catalog, PropertyTable } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { type Cluster, ClusterKind } from "../../../gen/engage/analysis/v1/cluster_pb.ts";
import { useLoaded } from "../rpc/load-once.ts";
import { clientOf } from "../rpc/transport.ts";
import { type ColumnNames, clusterNames } from "./column-names.ts";

/** What filters of users can name. */
interface UserNames extends ColumnNames {
  /** All versions of all cohorts and tags. */
  readonly clusters: readonly Cluster[];
}

const noUserNames: UserNames = {
  events: [],
  eventProperties: [],
  userProperties: [],
  cohorts: [],
  tags: [],
  clusters: [],
};

const catalog = clientOf(Catalog);
const analysis = clientOf(AnalysisProxy);
const pageSize = 1_000;

/** Loads the names of a project. They are a help: without them names are typed. */
export function useUserNames(projectId: bigint): UserNames {
  const { data } = useLoaded(String(projectId), (signal) => loadUserNames(projectId, signal));
  return data ?? noUserNames;
}

async function loadUserNames(projectId: bigint, signal: AbortSignal): Promise<UserNames> {
  const [{ properties }, { clusters }] = await Promise.all([
    catalog.listProperties({ projectId, pageSize, table: PropertyTable.USER }, { signal }),
    analysis.listClusters({ projectId }, { signal }),
  ]);
  return {
    ...noUserNames,
    userProperties: properties,
    cohorts: clusterNames(clusters, ClusterKind.COHORT),
    tags: clusterNames(clusters, ClusterKind.TAG),
    clusters,
  };
}
