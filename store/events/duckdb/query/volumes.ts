import { createYield } from "../../../../base/async/yield.ts";
import { type EventStore, emptySchema, type QueryCaller } from "../../events.ts";
import type { Property } from "../../schema.ts";
import { compileTopValues, compileUserCounts, countingScan, valueDecoder } from "../../sql/top-values.ts";
import {
  addVolumes,
  noUsers,
  type PackedVolumes,
  type ProjectVolumes,
  packVolumes,
  type TopValues,
  type UserVolume,
  type ValuesWanted,
  type VolumeRow,
} from "../../volumes.ts";
import { type DataTable, type ProjectTables, propertyColumn, propertySqlType } from "../layout.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import type { Queries, Query } from "./query.ts";
import { relationsOf } from "./relations.ts";
import { ResultRows } from "./rows.ts";
import { runScan } from "./scan.ts";

/** The maximum of the volumes of days that are kept for a project. */
const maxKeptBytes = 33_554_432;

/** The volumes of the days of a project. A day which has changed is another object. */
type KeptDays = ReadonlyMap<DataTable, PackedVolumes>;

/** Creates the reads of what a project has. The volumes of days are kept until the days change. */
export function createVolumes(queries: Queries): Pick<EventStore, "volumes" | "topValues"> {
  const kept = new Map<number, KeptDays>();
  return {
    async volumes(caller, signal) {
      signal.throwIfAborted();
      await using query = await queries.open(caller, signal);
      const project = query.tables.projects.get(caller.projectId);
      if (project === undefined) return { schema: emptySchema, events: new Map(), users: noUsers };
      const days = await readDays(query, project, kept.get(caller.projectId) ?? new Map());
      kept.set(caller.projectId, withinBytes(days));
      return await readVolumes(query, project, days);
    },
    async topValues(wanted, signal) {
      signal.throwIfAborted();
      await using query = await queries.open(wanted, signal);
      const counts = wanted.table === "user" ? countUsers(query, wanted) : countEvents(query, wanted, signal);
      return { ...(await counts), values: await readValues(query, wanted) };
    },
  };
}

function withinBytes(days: KeptDays): KeptDays {
  let bytes = 0;
  return new Map(
    [...days].filter(([, { byteLength }]) => {
      bytes += byteLength;
      return bytes <= maxKeptBytes;
    }),
  );
}

async function readDays(query: Query, { days, schema }: ProjectTables, known: KeptDays): Promise<KeptDays> {
  const unknown = [...days.values()].filter((day) => !known.has(day));
  const read = new Map<DataTable, PackedVolumes>();
  for (let at = 0; at < unknown.length; at += tablesTogether) {
    const tables = unknown.slice(at, at + tablesTogether);
    const packed = await readEvents(query, tables, schema.properties);
    for (const [index, table] of tables.entries()) read.set(table, packed[index]!);
  }
  return new Map(Array.from(days.values(), (day) => [day, (known.get(day) ?? read.get(day))!]));
}

async function readVolumes(
  query: Query,
  { schema, updatable, users }: ProjectTables,
  days: KeptDays,
): Promise<ProjectVolumes> {
  const { properties } = schema;
  const others = updatable === undefined ? [] : await readEvents(query, [updatable], properties);
  const events = addVolumes([...days.values(), ...others]);
  return { schema, events, users: users === undefined ? noUsers : await readUsers(query, users, properties) };
}

type Properties = ProjectTables["schema"]["properties"];

const ownProperties = ({ properties: has }: DataTable, all: Properties): readonly Property[] =>
  [...all.values()].filter(({ number }) => has.has(number));

/** Lists are empty without a value. */
function valueCount(property: Property): string {
  const column = propertyColumn(property);
  const isList = property.type === "list" || property.group !== undefined;
  return isList ? `count(*) FILTER (WHERE len(${column}) > 0)` : `count(${column})`;
}

/** The number of tables that one statement reads: one thread reads a table of a day, and threads share a statement. */
const tablesTogether = 16;

/** Returns the volumes of each table. */
async function readEvents(
  query: Query,
  tables: readonly DataTable[],
  all: Properties,
): Promise<readonly PackedVolumes[]> {
  const properties = [...all.values()].filter(({ number }) =>
    tables.some((one) => one.properties.has(number)),
  );
  const counts = [
    "count(*)",
    "min(time_ms)",
    "max(time_ms)",
    "count(account_id)",
    "count(distinct_id)",
    ...properties.map(valueCount),
  ];
  const parts = tables.map((table, index) => partText(table, index, properties));
  const sql = `SELECT part, event, ${counts.join(", ")} FROM (${parts.join(" UNION ALL ")}) t GROUP BY part, event`;
  const rows = new ResultRows(await query.run(sql));
  const found: VolumeRow[][] = tables.map(() => []);
  const yieldToEventLoop = createYield();
  for (let row = 0; row < rows.rowCount; row++) {
    rows.moveTo(row);
    const numbers = counts.map((_, at) => Number(rows.value(at + 2)));
    const [count, firstMs, lastMs, accounts, visitors, ...values] = numbers;
    found[rows.value(0) as number]!.push({
      event: rows.value(1) as number,
      count: count!,
      firstMs: firstMs!,
      lastMs: lastMs!,
      accounts: accounts!,
      visitors: visitors!,
      values,
    });
    await yieldToEventLoop();
  }
  const numbers = properties.map(({ number }) => number);
  return found.map((own) => packVolumes(own, numbers));
}

function partText(
  { table, properties: has }: DataTable,
  index: number,
  properties: readonly Property[],
): string {
  const columns = properties.map((one) =>
    has.has(one.number) ? propertyColumn(one) : `NULL::${propertySqlType(one)} AS ${propertyColumn(one)}`,
  );
  const all = ["event", "time_ms", "account_id", "distinct_id", ...columns];
  return `SELECT ${index} AS part, ${all.join(", ")} FROM ${table}`;
}

async function readUsers(query: Query, table: DataTable, all: Properties): Promise<UserVolume> {
  const own = ownProperties(table, all);
  const columns = ["count(*)", "count(account_id)", "count(distinct_id)", ...own.map(valueCount)];
  const rows = new ResultRows(await query.run(`SELECT ${columns.join(", ")} FROM ${table.table}`));
  rows.moveTo(0);
  const [count, accounts, visitors, ...values] = columns.map((_, at) => Number(rows.value(at)));
  const counted = own.map(({ number }, at): [number, number] => [number, values[at]!]);
  return {
    count: count!,
    accounts: accounts!,
    visitors: visitors!,
    values: new Map(counted.filter(([, number]) => number > 0)),
  };
}

type Counts = Omit<TopValues, "values">;

async function countEvents(query: Query, wanted: ValuesWanted, signal: AbortSignal): Promise<Counts> {
  await using result = await runScan(query, countingScan(wanted), { signal, sumForm: "split" });
  const [all, withValue] = (await result.cells()).values;
  return { count: all?.[0] ?? 0, withValue: withValue?.[0] ?? 0 };
}

async function countUsers(query: Query, wanted: ValuesWanted): Promise<Counts> {
  const statement = compileUserCounts(wanted, relations(query, wanted), duckdbDialect);
  const rows = new ResultRows(await query.run(...bindStatement(statement)));
  rows.moveTo(0);
  return { count: Number(rows.value(0)), withValue: Number(rows.value(1)) };
}

const relations = ({ tables }: Query, { projectId }: QueryCaller) => relationsOf(tables, projectId);

async function readValues(query: Query, wanted: ValuesWanted): Promise<TopValues["values"]> {
  const known = relations(query, wanted);
  const compiled = compileTopValues(wanted, known, duckdbDialect, { isSharded: false });
  if (compiled === undefined) return [];
  const rows = new ResultRows(await query.run(...bindStatement(compiled)));
  const decode = valueDecoder(compiled, known.schema);
  return Array.from({ length: rows.rowCount }, (_, row) => {
    rows.moveTo(row);
    return { value: decode(rows.value(0)), count: rows.number(1) };
  });
}
