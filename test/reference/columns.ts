import { compileFilters } from "./filters.ts";
import { type Json, needText, needWord, readText, readWord } from "./form.ts";
import { evaluateFormula, parseFormula } from "./formula.ts";
import type { ReferenceEvent } from "./ingest.ts";
import type { ReferenceBranch, ReferenceCluster } from "./project.ts";
import type { QueryContext } from "./query.ts";
import { Refused } from "./refused.ts";
import type { Elements, Scalar, Table, Value } from "./values.ts";
import { toLocal } from "./zone.ts";

export type ColumnType =
  | "number"
  | "text"
  | "boolean"
  /** Values are local ms of the query's zone. */
  | "time"
  | "list"
  | "object"
  | "object_group"
  | "cohort"
  /** The type of a property without a value. */
  | "nothing";

/** A value, none, or the aligned values of an object group's elements. */
export type Cell = Scalar | null | readonly (Scalar | null)[];

export interface Column {
  readonly type: ColumnType;
  /** The group of a member of an object group. */
  readonly group?: string;
  get(event: ReferenceEvent): Cell;
}

const tableTypes = ["event", "user", "cluster", "user_cluster"] as const;
const subTableTypes = [
  "cluster_by_import",
  "cluster_by_result",
  "cluster_by_static_condition",
  "tag_by_dynamic_condition",
  "vprop_dict",
] as const;

/** The column that an object with `columnName`, `tableType` and so on names. */
export function readColumn(from: Json, field: string, context: QueryContext): Column {
  const name = needText(from, "columnName", `${field}.columnName`);
  const table = needWord(from, "tableType", `${field}.tableType`, tableTypes);
  readWord(from, "subTableType", `${field}.subTableType`, subTableTypes);
  const day = readText(from, "specifiedClusterDate", `${field}.specifiedClusterDate`);
  if (day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(day)) {
    throw new Refused(`${field}.specifiedClusterDate`, `no day: ${day}`);
  }
  if (table === "event" || table === "user") return findColumn(table, name, context);
  return clusterColumn(name, day, context);
}

export function findColumn(table: Table, name: string, context: QueryContext): Column {
  if (name.startsWith("#vp@")) return virtualColumn(name.slice(4), context);
  const at = name.lastIndexOf("@");
  if (at > 0) return dimensionColumn(table, name.slice(0, at), name.slice(at + 1), context);
  return builtinColumn(table, name, context) ?? propertyColumn(table, name.toLowerCase(), context);
}

const nothing: Column = { type: "nothing", get: () => null };

function builtinColumn(table: Table, name: string, context: QueryContext): Column | undefined {
  const userOf = (event: ReferenceEvent) => context.data.users.get(event.userId)!;
  switch (name) {
    case "#user_id":
      return { type: "number", get: (event) => event.userId };
    case "#account_id":
      return {
        type: "text",
        get: (event) => (table === "user" ? userOf(event) : event).accountId ?? null,
      };
    case "#distinct_id":
      return {
        type: "text",
        get: (event) => (table === "user" ? userOf(event) : event).distinctId ?? null,
      };
    case "#event_name":
      return table === "event" ? { type: "text", get: (event) => event.name } : undefined;
    case "#event_time":
      return table === "event"
        ? { type: "time", get: (event) => toLocal(context.zone, event.time) }
        : undefined;
    case "#server_time":
      return table === "event"
        ? { type: "time", get: (event) => toLocal(context.zone, event.received) }
        : undefined;
    default:
      return undefined;
  }
}

function propertyColumn(table: Table, name: string, context: QueryContext): Column {
  const info = context.data.registry.find(table, name);
  if (!info) return nothing;
  const read = (event: ReferenceEvent, of: string): Value | undefined =>
    (table === "event" ? event : context.data.users.get(event.userId)!).values.get(of);
  const shift = (value: Scalar): Scalar =>
    info.type === "time" && table === "event" ? toLocal(context.zone, Number(value)) : value;
  const { group } = info;
  if (group !== undefined) {
    const inner = name.slice(group.length + 1);
    return {
      type: info.type,
      group: `${table}:${group}`,
      get: (event) => {
        const elements = (read(event, group) ?? []) as Elements;
        const values = elements.map((element) => {
          const value = element.get(inner);
          return value === undefined ? null : shift(value);
        });
        return values.some((value) => value !== null) ? values : null;
      },
    };
  }
  return {
    type: info.type,
    get: (event) => {
      const value = read(event, name);
      if (value === undefined) return null;
      if (Array.isArray(value)) return value as readonly Scalar[];
      return shift(value as Scalar);
    },
  };
}

function dimensionColumn(table: Table, property: string, column: string, context: QueryContext): Column {
  const dimension = context.data.project.dimensions.find(
    (one) => one.table === table && one.property === property.toLowerCase() && column in one.rows[0]!,
  );
  if (!dimension) return nothing;
  const texts = Object.fromEntries(dimension.rows.map((row) => [row[dimension.property], row[column]]));
  return lookUp(findColumn(table, property, context), texts);
}

/** Returns a column that maps values, written as text, to other values. */
function lookUp(base: Column, texts: Readonly<Record<string, string | undefined>>): Column {
  return {
    type: "text",
    get: (event) => {
      const value = base.get(event);
      return value === null ? null : (texts[String(value)] ?? null);
    },
  };
}

function clusterColumn(name: string, day: string | undefined, context: QueryContext): Column {
  const { cohorts, tags, clusters } = context.data.project;
  if (name in cohorts) {
    return { type: "cohort", get: compileFilters(cohorts[name] as unknown as Json, name, context) };
  }
  if (name in tags) return firstBranch(tags[name]!, context);
  const versions = clusters
    .filter((version) => version.name === name)
    .sort((a, b) => (a.day < b.day ? 1 : -1));
  const version = versions.find((one) => day === undefined || one.day <= day);
  const values = version ? membersOf(version, context) : new Map<number, string>();
  if (versions[0]?.kind === "tag") {
    return { type: "text", get: (event) => values.get(event.userId) ?? null };
  }
  return { type: "cohort", get: (event) => values.has(event.userId) };
}

function membersOf(version: ReferenceCluster, context: QueryContext): Map<number, string> {
  const users = [...context.data.users.values()];
  const found = version.members.map(({ accountId, value = "" }): [number, string] => {
    const user = users.find((one) => one.accountId === accountId);
    return [user?.userId ?? 0, value];
  });
  return new Map(found);
}

/** The text of the first condition that holds. */
function firstBranch(branches: readonly ReferenceBranch[], context: QueryContext): Column {
  const compiled = branches.map((branch) => ({
    holds: compileFilters(branch as unknown as Json, branch.value, context),
    value: branch.value,
  }));
  return { type: "text", get: (event) => compiled.find(({ holds }) => holds(event))?.value ?? null };
}

function virtualColumn(name: string, context: QueryContext): Column {
  const declared = context.data.project.virtualProperties[name];
  if (!declared) return nothing;
  // Conditions on an event also read columns of its user.
  const find = (part: string): Column => {
    const own = findColumn(declared.table, part, context);
    return own.type === "nothing" && declared.table === "event" ? findColumn("user", part, context) : own;
  };
  if ("cases" in declared) return firstBranch(declared.cases, context);
  if ("of" in declared) return lookUp(find(declared.of), declared.values);
  if ("first" in declared) {
    const parts = declared.first.map(find);
    return {
      type: parts.find((part) => part.type !== "nothing")?.type ?? "nothing",
      get: (event) => parts.map((part) => part.get(event)).find((value) => value !== null) ?? null,
    };
  }
  const { formula, operands } = parseFormula(declared.expression, name);
  const parts = operands.map(find);
  return {
    type: "number",
    get: (event) =>
      evaluateFormula(
        formula,
        parts.map((part) => numberOrNull(part.get(event))),
      ),
  };
}

function numberOrNull(value: Cell): number | null {
  return typeof value === "number" ? value : null;
}
