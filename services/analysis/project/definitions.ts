import { TableType } from "../../../gen/engage/analysis/v1/column_pb.ts";
import {
  type EventMetric,
  EventMetricSchema,
  MetricType,
} from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import {
  Comparator,
  type Filter,
  FilterSchema,
  FilterType,
} from "../../../gen/engage/analysis/v1/filter_pb.ts";
import type { PropertyTable } from "../../../store/events/events.ts";
import type { Condition, DimensionConfig, ProjectConfig, VirtualConfig } from "./config.ts";
import { readDefinition } from "./read-definition.ts";

/** The definitions of a project, by the names that queries use. */
export interface ProjectDefinitions {
  readonly id: number;
  /** An offset such as `+05:30`, or an IANA name. */
  readonly zone: string;
  readonly weekStart: "monday" | "sunday";
  readonly cohorts: ReadonlyMap<string, Filter>;
  readonly tags: ReadonlyMap<string, readonly Branch[]>;
  /** The text of a column for each value of its property, by `event:property@column` or `user:property@column`. */
  readonly dimensions: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly virtualProperties: ReadonlyMap<string, VirtualProperty>;
  readonly metrics: ReadonlyMap<string, EventMetric>;
  /** Display names of properties. */
  readonly displayNames: ReadonlyMap<string, string>;
  /** Whether any definition refers to cohorts or tags. */
  readonly usesCohorts: boolean;
}

/** A text and the condition under which it applies. */
export interface Branch {
  readonly text: string;
  readonly when: Filter;
}

/** A named expression over columns of its table; event properties may also use columns of the user. */
export type VirtualProperty = { readonly table: PropertyTable } & (
  | { readonly kind: "arithmetic"; readonly expression: string }
  | { readonly kind: "map"; readonly of: string; readonly texts: ReadonlyMap<string, string> }
  | { readonly kind: "first"; readonly of: readonly string[] }
  | { readonly kind: "cases"; readonly branches: readonly Branch[] }
);

/** One row of a dimension table, by column. */
export type DimensionRow = Readonly<Record<string, string>>;

/** @param readRows reads the rows of a dimension table from a file; throws when it cannot */
export function defineProject(
  config: ProjectConfig & { readonly id: number; readonly zone: string },
  readRows: (file: string) => readonly DimensionRow[],
): ProjectDefinitions {
  const definitions = {
    cohorts: mapValues(config.cohorts, (condition, name) => ofUsers(toFilter(condition), `cohort ${name}`)),
    tags: mapValues(config.tags, (cases, name) =>
      toBranches(cases).map((branch) => ({ ...branch, when: ofUsers(branch.when, `tag ${name}`) })),
    ),
    virtualProperties: mapValues(config.virtualProperties, toVirtual),
    metrics: mapValues(config.metrics, toMetric),
  };
  return {
    ...definitions,
    id: config.id,
    zone: config.zone,
    weekStart: config.weekStart,
    dimensions: new Map(config.dimensions.flatMap((table) => toDimensions(table, readRows))),
    displayNames: new Map(Object.entries(config.displayNames)),
    usesCohorts: mentionsCohorts(definitions),
  };
}

const cohortTables: ReadonlySet<unknown> = new Set([TableType.CLUSTER, TableType.USER_CLUSTER]);
const cohortComparators: ReadonlySet<unknown> = new Set([
  Comparator.BELONG_TO_CLUSTER,
  Comparator.NOT_BELONG_TO_CLUSTER,
]);

/** Reports whether a message refers to a cohort or a tag anywhere. */
export function mentionsCohorts(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Map) return [...value.values()].some(mentionsCohorts);
  const { tableType, comparator } = value as { readonly tableType?: unknown; readonly comparator?: unknown };
  if (cohortTables.has(tableType) || cohortComparators.has(comparator)) return true;
  return Object.values(value).some(mentionsCohorts);
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): ReadonlyMap<string, U> {
  return new Map(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

/** @throws Error when a condition refers to an event, since membership in a cohort does not depend on events */
function ofUsers(filter: Filter, owner: string): Filter {
  for (const { filts, tableType, columnName } of filter.filts) {
    for (const inner of filts) ofUsers({ ...filter, filts: [inner] }, owner);
    if (tableType === TableType.EVENT) {
      throw new Error(
        `${owner}: column ${JSON.stringify(columnName)} must be of tableType "user" or "cluster"`,
      );
    }
  }
  return filter;
}

function toFilter(condition: Condition): Filter {
  const filter = readDefinition(FilterSchema, { relation: condition.relation, filts: condition.filts });
  return { ...filter, filterType: FilterType.COMPOUND };
}

function toBranches(cases: readonly (Condition & { readonly value: string })[]): readonly Branch[] {
  return cases.map((branch) => ({ text: branch.value, when: toFilter(branch) }));
}

function toMetric(body: Readonly<Record<string, unknown>>): EventMetric {
  const metric = readDefinition(EventMetricSchema, body);
  return { ...metric, type: metric.customEvent === "" ? MetricType.NORMAL : MetricType.CUSTOMIZED };
}

function toVirtual({ table, expression, of, values, first, cases }: VirtualConfig): VirtualProperty {
  if (expression !== undefined) return { table, kind: "arithmetic", expression };
  if (cases !== undefined) return { table, kind: "cases", branches: toBranches(cases) };
  if (first !== undefined) return { table, kind: "first", of: first };
  return { table, kind: "map", of: of!, texts: new Map(Object.entries(values!)) };
}

function toDimensions(
  { property, table, key = property, rows, file }: DimensionConfig,
  readRows: (file: string) => readonly DimensionRow[],
): [string, ReadonlyMap<string, string>][] {
  const all = rows ?? readRows(file!);
  const columns = new Set(all.flatMap((row) => Object.keys(row)));
  columns.delete(key);
  return [...columns].map((column) => {
    const texts = new Map<string, string>();
    for (const row of all) {
      const [from, to] = [row[key], row[column]];
      if (from !== undefined && to !== undefined && to !== "") texts.set(from, to);
    }
    return [`${table}:${property.toLowerCase()}@${column}`, texts];
  });
}
