import { createSerial } from "../../../../base/async/serial.ts";
import type { EventStore } from "../../events.ts";
import { emptySchema } from "../../events.ts";
import { namesRemoved } from "../../ledger/faults.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isAfter, type LoadedProject } from "../../ledger/load.ts";
import type { LoadBatch, LoadCounts, ProjectRows, SpoolPlace } from "../../load.ts";
import { type NewNames, unknownNames, withNames } from "../../new-names.ts";
import { linesOf } from "../../prepared-lines.ts";
import type { ProjectSchema } from "../../schema.ts";
import type { Connection } from "../connection.ts";
import type { Columns } from "../ddl/columns.ts";
import type { Project, Projects } from "../projects.ts";
import { loadEvents } from "./events.ts";
import type { Target } from "./target.ts";
import { loadUpdates } from "./updates.ts";
import { loadUsers } from "./users.ts";

/** What a loader of one spool needs of the store. */
export type SpoolLoader = Pick<EventStore, "schema" | "loadedTo" | "load">;

/** The lease under which a spool is loaded by one process at a time. */
export interface SpoolLease {
  readonly name: string;
  readonly token: number;
  readonly signal: AbortSignal;
}

export interface LoadSource {
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly projects: Projects;
  readonly columns: Columns;
  /** Frees the numbers of names which are being removed. */
  finishRemoval(projectId: number): Promise<void>;
}

/** A project of a batch before its rows are inserted. */
interface Planned {
  readonly rows: ProjectRows;
  readonly before: Project | undefined;
  readonly names: NewNames;
  readonly removals: number | undefined;
  /** With the new names. */
  readonly schema: ProjectSchema;
}

/**
 * Opens a spool whose batches are loaded in order.
 * @param lease undefined when no other process loads the spool
 */
export async function openSpool(
  source: LoadSource,
  spool: string,
  lease: SpoolLease | undefined,
): Promise<SpoolLoader & { refresh(): Promise<void> }> {
  const { ledger, projects } = source;
  const serial = createSerial();
  let loadedTo = await ledger.call("loadedTo", spool);
  const moveTo = (place: SpoolPlace | undefined): void => {
    if (place !== undefined && isAfter(place, loadedTo)) loadedTo = place;
  };
  const refresh = async (): Promise<void> => moveTo(await ledger.call("loadedTo", spool));
  /** The removals of names of a project when its schema was read for preparing batches. */
  const removals = new Map<number, number>();
  return {
    schema(projectId) {
      if (lease !== undefined) removals.set(projectId, projects.removals(projectId));
      return projects.schema(projectId);
    },
    loadedTo: () => loadedTo,
    refresh,
    load: (batch) =>
      serial(async () => {
        lease?.signal.throwIfAborted();
        try {
          const counts = await loadBatch({ source, spool, lease, removals }, batch, loadedTo);
          moveTo(batch.to);
          return counts;
        } catch (error) {
          // The batch may have been completed although the reply was lost, and names may have been removed.
          await Promise.allSettled([
            refresh(),
            ...batch.projects.map((one) => projects.snapshot(one.projectId)),
          ]);
          throw error;
        }
      }),
  };
}

const nothing: LoadCounts = { events: 0, users: 0 };

interface OpenSpool {
  readonly source: LoadSource;
  readonly spool: string;
  readonly lease: SpoolLease | undefined;
  readonly removals: ReadonlyMap<number, number>;
}

async function loadBatch(
  { source, spool, lease, removals }: OpenSpool,
  batch: LoadBatch,
  loadedTo: SpoolPlace | undefined,
): Promise<LoadCounts> {
  const { ledger, projects } = source;
  if (!isAfter(batch.to, loadedTo)) return nothing;
  const planned: Planned[] = [];
  for (const rows of batch.projects) planned.push(await plan(source, rows, removals.get(rows.projectId)));
  const fence = lease === undefined ? undefined : { name: lease.name, token: lease.token };
  const ids = [...new Set(planned.map(({ rows }) => rows.projectId))];
  const { number } = await ledger.call("beginBatch", { spool, to: batch.to, projects: ids, fence });
  if (number === undefined) return nothing;
  try {
    const signal = lease?.signal ?? new AbortController().signal;
    for (const one of planned) await insert(source, one, number, signal);
    const changes = planned.map(changesOf);
    await ledger.call("completeBatch", { number, spool, to: batch.to, fence, projects: changes });
  } catch (error) {
    // When the ledger can't be told, the next attempt gives this one up.
    await ledger.call("abandonBatch", number).catch(() => undefined);
    throw error;
  }
  for (const id of ids) await projects.snapshot(id).catch(() => undefined);
  return countsOf(batch);
}

async function plan(source: LoadSource, rows: ProjectRows, removals: number | undefined): Promise<Planned> {
  const { projectId, newEvents, newProperties } = rows;
  if (!Number.isSafeInteger(projectId) || projectId < 0)
    throw new Error(`project ${projectId} is not a whole number from 0 on`);
  const { projects } = source;
  let before = await projects.snapshot(projectId);
  if (removals !== undefined && removals !== (before?.removals ?? 0)) throw namesRemoved(projectId);
  const isTaken =
    newEvents.some(({ number }) => before?.hiddenEvents.includes(number)) ||
    newProperties.some(({ number }) => before?.removedProperties.includes(number));
  if (isTaken) {
    await source.finishRemoval(projectId);
    before = await projects.snapshot(projectId);
  }
  const schema = before?.schema ?? emptySchema;
  const names = unknownNames(schema, rows);
  return { rows, before, names, removals, schema: withNames(schema, names) };
}

async function insert(
  { connection, columns }: LoadSource,
  { rows, before, names, schema }: Planned,
  batch: number,
  signal: AbortSignal,
): Promise<void> {
  const { projectId, updatesFile, seenFile, usersFile } = rows;
  await columns.ensure(projectId, [...schema.properties.values()], names.properties);
  const target: Target = { connection, projectId, batch, schema, before, signal };
  await loadEvents(target, rows);
  if (updatesFile !== undefined) await loadUpdates(target, linesOf(updatesFile));
  if (seenFile !== undefined || usersFile !== undefined) await loadUsers(target, { seenFile, usersFile });
}

function changesOf({ rows, names, removals }: Planned): LoadedProject {
  return {
    projectId: rows.projectId,
    newEvents: names.events,
    newProperties: names.properties,
    removals,
    days: [...eventsOfDays(rows)],
    hasUpdatable: rows.updatesFile !== undefined,
  };
}

/** Returns the number of events of each day. */
function eventsOfDays({ days = [], shards = [] }: ProjectRows): ReadonlyMap<number, number> {
  const all = new Map(days.map(({ day, events }) => [day, events]));
  for (const [day, events] of shards.flatMap((one) => [...one.days]))
    all.set(day, (all.get(day) ?? 0) + events);
  return all;
}

function countsOf({ projects }: LoadBatch): LoadCounts {
  const counts = projects.map((rows) => rows.counts);
  return {
    events: counts.reduce((sum, { events, updates }) => sum + events + updates, 0),
    users: counts.reduce((sum, { users }) => sum + users, 0),
  };
}
