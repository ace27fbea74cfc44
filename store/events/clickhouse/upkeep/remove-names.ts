import { dayMs } from "../../../../base/time/units.ts";
import { ProjectChangedError } from "../../ledger/faults.ts";
import type { NameRemoval, RemovedNames } from "../../names.ts";
import type { ProjectSchema, Property } from "../../schema.ts";
import { tablesWith } from "../ddl/columns.ts";
import { onCluster } from "../ddl/tables.ts";
import { eventsTable, isKept, isLoaded, propertyColumn, updatableTable } from "../layout.ts";
import type { Project } from "../projects.ts";
import { readRows } from "../read/row-stream.ts";
import { latestEvents, sumOfShards } from "../read/stats.ts";
import { deleteRows } from "./delete-rows.ts";
import type { RetentionSource } from "./retention.ts";

const nothing: RemovedNames = { events: 0, properties: 0, records: 0 };
const maxTries = 10;

/**
 * Removes names in two steps: the ledger hides them with their events, then rows and columns are
 * deleted, and their numbers are free.
 */
export async function removeNames(source: RetentionSource, removal: NameRemoval): Promise<RemovedNames> {
  const { projectId } = removal;
  const removed = await hideNames(source, removal);
  if (removed !== nothing) await finishRemoval(source, projectId);
  return removed;
}

async function hideNames(source: RetentionSource, removal: NameRemoval): Promise<RemovedNames> {
  const { ledger, projects } = source;
  const { projectId } = removal;
  for (let tries = 1; ; tries++) {
    const project = await projects.snapshot(projectId);
    if (project === undefined) return nothing;
    const properties = propertiesOf(project.schema, removal).map(({ number }) => number);
    const events = removal.events.flatMap((name) => project.schema.events.get(name)?.number ?? []);
    if (events.length === 0 && properties.length === 0) return nothing;
    const { days, records } = await countEvents(source, project, events);
    const { version } = project.schema;
    try {
      await ledger.call("beginRemoval", { projectId, version, events, properties, days });
      return { events: events.length, properties: properties.length, records };
    } catch (error) {
      if (!(error instanceof ProjectChangedError) || tries === maxTries) throw error;
    }
  }
}

/** Returns the named properties, objects with their members. */
function propertiesOf({ properties }: ProjectSchema, removal: NameRemoval): readonly Property[] {
  const named = new Set(removal.properties.map(({ table, name }) => `${table}:${name}`));
  return [...properties.values()].filter(
    ({ table, name }) => named.has(`${table}:${name}`) || named.has(`${table}:${name.split(".", 1)[0]}`),
  );
}

interface EventCounts {
  readonly days: readonly (readonly [day: number, events: number])[];
  readonly records: number;
}

async function countEvents(
  { connection }: RetentionSource,
  project: Project,
  events: readonly number[],
): Promise<EventCounts> {
  if (events.length === 0) return { days: [], records: 0 };
  const isRemoved = `event IN (${events.join(", ")})`;
  const sql = `SELECT floor(time_ms / ${dayMs}) AS day, count() FROM ${eventsTable(project.projectId)}
    WHERE ${isLoaded(project)} AND ${isKept(project)} AND ${isRemoved} GROUP BY day`;
  const parts = await connection.onEach((shard, signal) =>
    readRows<[number, string]>(connection, shard, { sql, signal }),
  );
  const days = new Map<number, number>();
  for (const [day, count] of parts.flat()) days.set(day, (days.get(day) ?? 0) + Number(count));
  const updatable = await sumOfShards(
    connection,
    `SELECT count() FROM ${latestEvents(project)} WHERE ${isRemoved}`,
  );
  return { days: [...days], records: [...days.values()].reduce((sum, count) => sum + count, updatable) };
}

/** Deletes the rows and columns of hidden names. May be repeated. */
export async function finishRemoval(source: RetentionSource, projectId: number): Promise<void> {
  const { connection, ledger, projects, ddl } = source;
  const unfinished = await ledger.call("unfinishedRemoval", projectId);
  const { events, properties } = unfinished;
  if (events.length === 0 && properties.length === 0) return;
  if (events.length > 0) {
    const isRemoved = `event IN (${events.join(", ")})`;
    await deleteRows(source, eventsTable(projectId), isRemoved);
    await deleteRows(source, updatableTable(projectId), isRemoved);
  }
  for (const table of ["event", "user"] as const) {
    const own = properties.filter((one) => one.table === table).map(propertyColumn);
    if (own.length === 0) continue;
    const changes = own.map((column) => `DROP COLUMN IF EXISTS ${column}`).join(", ");
    for (const name of tablesWith(projectId, table)) {
      const sql = `ALTER TABLE ${name}${onCluster(ddl.cluster)} ${changes}`;
      await connection.onEach((shard, signal) =>
        connection.command(shard, { sql, signal, settings: { mutations_sync: 1, alter_sync: 1 } }),
      );
    }
  }
  await ledger.call("removalDone", projectId, unfinished);
  await projects.snapshot(projectId);
}
