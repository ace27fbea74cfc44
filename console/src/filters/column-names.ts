import type { CatalogProperty } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { type Cluster, ClusterKind } from "../../../gen/engage/analysis/v1/cluster_pb.ts";
import { type ColumnType, columnTypeOf } from "./rules.ts";

/** The words of the tables that a form offers. */
export type TableWord = "event" | "user" | "cluster";

/** The columns that filters can name, for suggestions: other names are valid too. */
export interface ColumnNames {
  readonly events: readonly string[];
  readonly eventProperties: readonly CatalogProperty[];
  readonly userProperties: readonly CatalogProperty[];
  readonly cohorts: readonly string[];
  readonly tags: readonly string[];
}

/** Returns the names of columns of a table, of the given types if they are known. */
export function columnsOf(
  names: ColumnNames,
  table: string,
  types?: readonly ColumnType[],
): readonly string[] {
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
export function typeOfColumn(names: ColumnNames, table: string, column: string): ColumnType | undefined {
  if (table === "cluster" || table === "user_cluster") {
    if (names.cohorts.includes(column)) return "cohort";
    return names.tags.includes(column) ? "text" : undefined;
  }
  const properties = table === "user" ? names.userProperties : names.eventProperties;
  const found = properties.find(({ name }) => name === column);
  return found && columnTypeOf(found.type, found.group);
}

/** Returns the names of the cohorts, or of the tags; a version is not named again. */
export function clusterNames(clusters: readonly Cluster[], kind: ClusterKind): readonly string[] {
  return [...new Set(clusters.filter((one) => one.kind === kind).map(({ name }) => name))];
}

/** Returns the days of the versions of a cohort, the latest first. */
export function cohortDays(clusters: readonly Cluster[], name: string): readonly string[] {
  return clusters
    .filter((one) => one.kind !== ClusterKind.TAG && one.name === name)
    .map(({ day }) => day)
    .sort()
    .reverse();
}
