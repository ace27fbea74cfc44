import { createYield } from "../../../../base/async/yield.ts";
import type { EventStore } from "../../events.ts";
import type { Property } from "../../schema.ts";
import { compileTopValues, compileUserCounts, countingScan, valueDecoder } from "../../sql/top-values.ts";
import {
  addVolumes,
  noUsers,
  type PackedVolumes,
  packSum,
  packVolumes,
  type TopValues,
  type UserVolume,
  type ValuesWanted,
  type VolumeRow,
} from "../../volumes.ts";
import {
  eventsTable,
  isKept,
  isLoaded,
  type ProjectSnapshot,
  propertyColumn,
  propertyType,
  updatableTable,
  usersTable,
} from "../layout.ts";
import { isLatestUpdatable, isLatestUser } from "../read/relations.ts";
import { clickhouseDialect } from "./dialect.ts";
import { openQuery, type Query, type QuerySource } from "./query.ts";
import { relationsOf } from "./relations.ts";
import { readRows } from "./rows.ts";
import { readScan, rowsOfShards, runOnce } from "./scan.ts";

/** The volumes of the events that never change, as of a snapshot. */
interface KeptEvents {
  readonly snapshot: ProjectSnapshot;
  readonly volumes: PackedVolumes;
}

/** Creates the reads of what a project has. The volumes of events are kept, and later batches added to them. */
export function createVolumes(source: QuerySource): Pick<EventStore, "volumes" | "topValues"> {
  const kept = new Map<number, KeptEvents>();
  return {
    async volumes(caller, signal) {
      signal.throwIfAborted();
      using query = await openQuery(source, caller, signal);
      const snapshot = query.snapshot(caller.projectId);
      const { projectId, schema, watermark } = snapshot;
      if (watermark <= 0) return { schema, events: new Map(), users: noUsers };
      const volumes = await readKept(query, snapshot, kept.get(projectId));
      kept.set(projectId, { snapshot, volumes });
      const updatable = `${updatableTable(projectId)} WHERE ${isLatestUpdatable(snapshot)}`;
      const events = addVolumes([volumes, ...(await readEvents(query, snapshot, updatable))]);
      return { schema, events, users: await readUsers(query, snapshot) };
    },
    async topValues(wanted, signal) {
      signal.throwIfAborted();
      using query = await openQuery(source, wanted, signal);
      const counts = wanted.table === "user" ? countUsers(query, wanted) : countEvents(query, wanted);
      return { ...(await counts), values: await readValues(query, wanted) };
    },
  };
}

/** Adds what was loaded after the snapshot of the kept volumes to these, unless names or the retention changed. */
async function readKept(
  query: Query,
  snapshot: ProjectSnapshot,
  kept: KeptEvents | undefined,
): Promise<PackedVolumes> {
  const table = `${eventsTable(snapshot.projectId)} WHERE ${isLoaded(snapshot)} AND ${isKept(snapshot)}`;
  const isUsable =
    kept?.snapshot.generation === snapshot.generation && kept.snapshot.watermark <= snapshot.watermark;
  if (!isUsable) return packSum(addVolumes(await readEvents(query, snapshot, table)));
  const { watermark, hiddenBatches } = kept.snapshot;
  if (watermark === snapshot.watermark && hiddenBatches.length === snapshot.hiddenBatches.length)
    return kept.volumes;
  const wasHidden = hiddenBatches.length === 0 ? "" : ` OR batch IN (${hiddenBatches.join(", ")})`;
  const added = await readEvents(query, snapshot, `${table} AND (batch > ${watermark}${wasHidden})`);
  return packSum(addVolumes([kept.volumes, ...added]));
}

/** Lists are empty without a value. */
function valueCount(property: Property): string {
  const column = propertyColumn(property);
  return propertyType(property).startsWith("Array") ? `countIf(notEmpty(${column}))` : `count(${column})`;
}

const propertiesOf = ({ schema }: ProjectSnapshot, table: Property["table"]): readonly Property[] =>
  [...schema.properties.values()].filter((one) => one.table === table);

/** Returns the volumes of each shard. */
async function readEvents(
  query: Query,
  snapshot: ProjectSnapshot,
  from: string,
): Promise<readonly PackedVolumes[]> {
  const properties = propertiesOf(snapshot, "event");
  const columns = [
    "event",
    "count()",
    "min(time_ms)",
    "max(time_ms)",
    "count(account_id)",
    "count(distinct_id)",
    ...properties.map(valueCount),
  ];
  const sql = `SELECT ${columns.join(", ")} FROM ${from} GROUP BY event`;
  const rows = await rowsOfShards<(number | string)[]>(query, { sql, parameters: [] });
  const found: VolumeRow[] = [];
  const yieldToEventLoop = createYield({ signal: query.signal });
  for (const row of rows) {
    const [event, count, firstMs, lastMs, accounts, visitors, ...values] = row.map(Number);
    found.push({
      event: event!,
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
  return [packVolumes(found, numbers)];
}

async function readUsers(query: Query, snapshot: ProjectSnapshot): Promise<UserVolume> {
  const properties = propertiesOf(snapshot, "user");
  const columns = ["count()", "count(account_id)", "count(distinct_id)", ...properties.map(valueCount)];
  const from = `${usersTable(snapshot.projectId)} WHERE ${isLatestUser(snapshot)}`;
  const sql = `SELECT ${columns.join(", ")} FROM ${from}`;
  const rows = await rowsOfShards<(number | string)[]>(query, { sql, parameters: [] });
  const [count, accounts, visitors, ...values] = columns.map((_, at) =>
    rows.reduce((sum, row) => sum + Number(row[at]), 0),
  );
  const counted = properties.map(({ number }, at): [number, number] => [number, values[at]!]);
  return {
    count: count!,
    accounts: accounts!,
    visitors: visitors!,
    values: new Map(counted.filter(([, number]) => number > 0)),
  };
}

type Counts = Omit<TopValues, "values">;

async function countEvents(query: Query, wanted: ValuesWanted): Promise<Counts> {
  await using result = await runOnce(query, countingScan(wanted), "split");
  const [all, withValue] = (await result.cells()).values;
  return { count: all?.[0] ?? 0, withValue: withValue?.[0] ?? 0 };
}

async function countUsers(query: Query, wanted: ValuesWanted): Promise<Counts> {
  const known = relationsOf(query.snapshot(wanted.projectId));
  const rows = await rowsOfShards<[number, number]>(
    query,
    compileUserCounts(wanted, known, clickhouseDialect),
  );
  const sum = (at: 0 | 1): number => rows.reduce((total, row) => total + row[at], 0);
  return { count: sum(0), withValue: sum(1) };
}

async function readValues(query: Query, wanted: ValuesWanted): Promise<TopValues["values"]> {
  const known = relationsOf(query.snapshot(wanted.projectId));
  const isSharded = query.connection.shardCount > 1;
  const compiled = compileTopValues(wanted, known, clickhouseDialect, { isSharded });
  if (compiled === undefined) return [];
  const rows = await readRows(await readScan(query, compiled));
  const decode = valueDecoder(compiled, known.schema);
  return Array.from({ length: rows.rowCount }, (_, row) => {
    rows.moveTo(row);
    return { value: decode(rows.value(0)), count: rows.number(1) };
  });
}
