import type { GroupKey } from "../scan.ts";
import type { ScalarType } from "./dialect.ts";
import { type CompiledKey, compileKeys } from "./keys.ts";
import type { Source } from "./source.ts";

/** A further column of rows. */
export interface Column {
  readonly name: string;
  readonly sql: string;
}

/** A list to expand to one row for each distinct element. */
export interface ListColumn extends Column {
  readonly of: ScalarType;
}

export interface RowsWanted {
  readonly keys: readonly GroupKey[];
  readonly columns: readonly Column[];
  readonly lists?: readonly ListColumn[];
  readonly where: readonly (string | undefined)[];
  readonly range: { readonly startMs: number; readonly endMs: number };
  readonly events: readonly number[] | undefined;
}

/**
 * Compiles the events that a pass reads to a subquery in parentheses: a column per key (`k0`, `k1` …),
 * then the others. Lists among the keys are expanded: several of them independently, members of one
 * object group together.
 */
export function compileRows(
  source: Source,
  wanted: RowsWanted,
): { readonly sql: string; readonly keys: readonly CompiledKey[] } {
  const keys = compileKeys(wanted.keys, source);
  const groups = Map.groupBy(
    keys.filter(({ unnest }) => unnest !== undefined),
    ({ unnest }) => unnest,
  );
  const columns = [...keys, ...wanted.columns, ...(wanted.lists ?? [])];
  const list = columns.map(({ name, sql }) => `${sql} AS ${name}`).join(", ") || "true AS present";
  const { tables, conditions } = source.from({ ...wanted.range, events: wanted.events });
  const where = [...conditions, ...wanted.where.filter((condition) => condition !== undefined)];
  let sql = `SELECT ${list} FROM ${tables}${where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`}`;
  for (const members of [...groups.values(), ...(wanted.lists ?? []).map((one) => [one])]) {
    sql = expandLists(
      sql,
      columns.map(({ name }) => name),
      members,
      source,
    );
  }
  return { sql: `(${sql})`, keys };
}

function expandLists(
  rows: string,
  names: readonly string[],
  lists: readonly { readonly name: string; readonly of: CompiledKey["of"] }[],
  { context: { dialect } }: Source,
): string {
  const types = lists.map(({ of }) => (of === "interval" ? "event" : of));
  const others = names.filter((name) => lists.every((list) => list.name !== name));
  const [first] = lists;
  if (first !== undefined && lists.length === 1) {
    const elements = dialect.unnest(dialect.distinctElements(first.name, types[0]!));
    return `SELECT ${[...others, `${elements} AS ${first.name}`].join(", ")} FROM (${rows}) r`;
  }
  const tuples = dialect.unnest(
    dialect.distinctTuples(
      lists.map(({ name }) => name),
      types,
    ),
  );
  const items = lists.map(({ name }, index) => `${dialect.tupleItem("z", index + 1)} AS ${name}`);
  return `SELECT ${[...others, ...items].join(", ")} FROM (SELECT ${[...others, `${tuples} AS z`].join(", ")} FROM (${rows}) r) r`;
}
