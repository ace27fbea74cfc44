import type { Aggregate, Predicate, Scan } from "../scan.ts";
import type { ProjectSchema } from "../schema.ts";
import type { CountedValue, ValuesWanted } from "../volumes.ts";
import { type Dialect, type ScalarType, scalar } from "./dialect.ts";
import { compileExpression } from "./expression/expression.ts";
import { type Parameter, Parameters, type ScalarValue, type Statement } from "./parameters.ts";
import type { Relations } from "./relations.ts";
import { compileScan } from "./sql.ts";
import { type Stage, Stages } from "./stages.ts";
import { UserSource } from "./users.ts";

/** The statement of the most frequent values: rows of `v`, the value, and `n`, in their order. */
export interface CompiledValues extends Statement {
  /** The type of `v`; of an event it is the number. */
  readonly of: ScalarType;
  /** The statements that each shard runs, whose rows this statement reads; empty for one shard. */
  readonly stages: readonly Stage[];
}

/** A row for each value: `k0`, and `t0`, the number of events or users. */
interface GroupedValues extends Statement {
  readonly of: ScalarType;
  readonly stages: readonly Stage[];
}

interface ValuesForm {
  /** Whether users are divided among several shards. */
  readonly isSharded: boolean;
}

/** Compiles the most frequent values; undefined when there can be none. */
export function compileTopValues(
  wanted: ValuesWanted,
  relations: Relations,
  dialect: Dialect,
  form: ValuesForm,
): CompiledValues | undefined {
  const grouped =
    wanted.table === "user"
      ? groupUsers(wanted, relations, dialect, form)
      : groupEvents(wanted, relations, dialect, form);
  if (grouped === undefined) return undefined;
  const { of, stages } = grouped;
  const parameters = [...grouped.parameters];
  const bind = (value: ScalarValue): string => {
    const type = scalar(of);
    const parameter: Parameter = { type, value };
    return dialect.placeholder(parameters.push(parameter), type);
  };
  const conditions = [
    "k0 IS NOT NULL",
    ...prefixCondition(wanted, of, { relations, dialect, bind }),
    ...afterCondition(wanted, of, { relations, bind }),
  ];
  const rows = `SELECT k0, t0 FROM (${grouped.sql}) g WHERE ${conditions.join(" AND ")}`;
  const sql = `SELECT k0 AS v, t0 AS n FROM (${rows}) r ORDER BY n DESC, v LIMIT ${Math.trunc(wanted.limit)}`;
  return { sql, parameters, of, stages };
}

interface Conditions {
  readonly relations: Relations;
  readonly dialect: Dialect;
  readonly bind: (value: ScalarValue) => string;
}

function prefixCondition(
  { prefix = "" }: ValuesWanted,
  of: ScalarType,
  { relations, dialect, bind }: Conditions,
): string[] {
  if (prefix === "") return [];
  if (of === "text") return [dialect.startsWith("k0", bind(prefix))];
  if (of !== "event") return ["false"];
  const named = [...relations.schema.events.values()].filter(({ name }) => name.startsWith(prefix));
  return [named.length === 0 ? "false" : `k0 IN (${named.map(({ number }) => number).join(", ")})`];
}

function afterCondition(
  { after }: ValuesWanted,
  of: ScalarType,
  { relations, bind }: Omit<Conditions, "dialect">,
): string[] {
  if (after === undefined) return [];
  const count = Math.trunc(after.count);
  const value = of === "event" ? relations.schema.events.get(String(after.value))?.number : after.value;
  // A name which has been removed was the last one with its count.
  if (value === undefined) return [`t0 < ${count}`];
  return [`(t0 < ${count} OR (t0 = ${count} AND k0 > ${bind(value)}))`];
}

const always: Predicate = { kind: "always", value: true };

/** The whole range is one bucket, whatever the zone. */
const maxOffsetMs = 172_800_000;

type Measured = Pick<Scan, "keys"> & {
  readonly aggregates: readonly Aggregate[];
  readonly where: Predicate;
};

/** Returns the scan of the events that count, with one measure for each aggregate. */
function scanOf(wanted: ValuesWanted, { keys, aggregates, where }: Measured): Scan {
  const { projectId, caller, zone, startMs, endMs, events } = wanted;
  return {
    projectId,
    caller,
    zone,
    buckets: { startMs, endMs, localEdges: [startMs - maxOffsetMs, endMs + maxOffsetMs] },
    keys,
    measures: aggregates.map((aggregate) => ({ events, where, aggregate })),
    totals: false,
  };
}

/** Returns the scan which counts events, and those with a value, in one bucket. */
export function countingScan(wanted: ValuesWanted): Scan {
  const aggregates: Aggregate[] = [{ kind: "count" }, { kind: "values", of: wanted.of }];
  return scanOf(wanted, { keys: [], aggregates, where: always });
}

function groupEvents(
  wanted: ValuesWanted,
  relations: Relations,
  dialect: Dialect,
  form: ValuesForm,
): GroupedValues | undefined {
  const { of } = wanted;
  // Lists take long to divide, and most events may have none.
  const where: Predicate = { kind: "not", of: { kind: "isNull", of } };
  const scan = scanOf(wanted, { keys: [{ kind: "values", of }], aggregates: [{ kind: "count" }], where });
  const compiled = compileScan(scan, relations, dialect, form);
  if (compiled === undefined) return undefined;
  const { sql, parameters, stages, keys } = compiled;
  return { sql, parameters, stages, of: keys[0]!.of as ScalarType };
}

function groupUsers(
  { of }: ValuesWanted,
  relations: Relations,
  dialect: Dialect,
  { isSharded }: ValuesForm,
): GroupedValues {
  const parameters = new Parameters(dialect);
  const source = new UserSource({ dialect, relations, parameters, zone: [] });
  const { sql, type } = compileExpression(of, source);
  const values = `SELECT ${sql} AS k0 FROM ${source.users()}`;
  const elements = dialect.unnest(dialect.distinctElements("k0", type.of));
  const rows = type.isList ? `SELECT ${elements} AS k0 FROM (${values}) u` : values;
  parameters.count(rows);
  const grouped = `SELECT k0, count(*) AS x0 FROM (${rows}) r GROUP BY k0`;
  const stages = isSharded ? new Stages(parameters) : undefined;
  const merged =
    stages === undefined
      ? grouped
      : `SELECT k0, ${dialect.merge("x0", "sum")} AS x0 FROM ${stages.add(grouped)} p GROUP BY k0`;
  const number = (text: string): string => dialect.cast(text, scalar("number"));
  // As the keys of scans: ids and times are below 2^53.
  const key = type.of === "integer" ? `${number("k0")} AS k0` : "k0";
  const statement = parameters.finish(`SELECT ${key}, ${number("x0")} AS t0 FROM (${merged}) m`);
  return { ...statement, stages: stages?.all ?? [], of: type.of };
}

/** Compiles the numbers of users, `n`, and of those with a value, `v`, in one row. Those of shards add up. */
export function compileUserCounts({ of }: ValuesWanted, relations: Relations, dialect: Dialect): Statement {
  const parameters = new Parameters(dialect);
  const source = new UserSource({ dialect, relations, parameters, zone: [] });
  const { sql, type } = compileExpression(of, source);
  const value = type.isList ? `CASE WHEN NOT ${dialect.isEmptyList("k0")} THEN 1 END` : "k0";
  const rows = `SELECT ${sql} AS k0 FROM ${source.users()}`;
  const number = (count: string): string => dialect.cast(count, scalar("number"));
  return parameters.finish(
    `SELECT ${number("count(*)")} AS n, ${number(`count(${value})`)} AS v FROM (${rows}) r`,
  );
}

/** Returns a function which converts values of `v`. */
export function valueDecoder(
  { of }: Pick<CompiledValues, "of">,
  { events }: ProjectSchema,
): (value: unknown) => CountedValue["value"] {
  // Conditions are numbers in some engines.
  if (of === "boolean") return Boolean;
  if (of !== "event") return (value) => value as CountedValue["value"];
  const names = new Map([...events.values()].map(({ number, name }) => [number, name]));
  return (value) => names.get(value as number)!;
}
