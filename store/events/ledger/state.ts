import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { EventName, Property, PropertyTable, PropertyType } from "../schema.ts";

/** What changes with each batch of a project. */
export interface ProjectHead {
  readonly projectId: number;
  /** Grows with every change of the project's data. */
  readonly version: number;
  /** Grows with each change of names, properties, cohorts and dropped days. */
  readonly generation: number;
  /** The highest number of a loaded batch. */
  readonly watermark: number;
  /** Numbers up to the watermark of batches which are not completely loaded. */
  readonly hiddenBatches: readonly number[];
  /** Grows when names are removed. */
  readonly removals: number;
  /** False when no batch up to the watermark has events that later records may change. */
  readonly mayHaveUpdatable: boolean;
}

/** Everything that a request needs to know about a project, at one moment. */
export interface ProjectState extends ProjectHead {
  readonly events: readonly EventName[];
  readonly properties: readonly Property[];
  /** Numbers of events and properties which are being removed. */
  readonly removedEvents: readonly number[];
  readonly removedProperties: readonly number[];
  /** Events before a time are dropped, except in later batches. */
  readonly dropped: Dropped | undefined;
  /** Events which are being deleted. */
  readonly deletions: readonly LedgerDeletion[];
  readonly cohorts: readonly LedgerCohort[];
}

export interface Dropped {
  readonly beforeMs: number;
  readonly watermark: number;
}

/** Rows of events which are being deleted. Rows of later batches are not among them. */
export interface DeletedRows {
  /** Rows of batches up to this number… */
  readonly watermark: number;
  /** …without these. */
  readonly hiddenBatches: readonly number[];
  /** Instants; undefined is no limit. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** Numbers of events; undefined is any. */
  readonly events: readonly number[] | undefined;
  /** Ids of users; undefined is any. */
  readonly users: readonly number[] | undefined;
}

/** A deletion of which some rows may still exist. */
export interface LedgerDeletion extends DeletedRows {
  readonly number: number;
}

export interface LedgerCohort {
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  readonly kind: "cohort" | "tag";
  readonly members: number;
  /** The batch whose rows are the members. */
  readonly batch: number;
}

interface HeadRow {
  readonly project: number;
  readonly version: number;
  readonly generation: number;
  readonly watermark: number;
  readonly hidden: readonly number[] | null;
  readonly removals: number;
  readonly is_append_only: number;
}

interface StateRow extends HeadRow {
  readonly dropped_before_ms: number | null;
  readonly dropped_watermark: number | null;
  readonly events: readonly (readonly [number: number, name: string, isRemoved: number])[] | null;
  readonly properties:
    | readonly (readonly [
        number: number,
        table: PropertyTable,
        name: string,
        type: PropertyType,
        group: string | null,
        isRemoved: number,
      ])[]
    | null;
  readonly cohorts: readonly (readonly [string, string, "cohort" | "tag", number, number])[] | null;
  readonly deletions: readonly DeletionRow[] | null;
}

interface DeletionRow {
  readonly number: number;
  readonly watermark: number;
  readonly hidden: readonly number[];
  readonly start_ms: number | null;
  readonly end_ms: number | null;
  readonly events: readonly number[] | null;
  readonly users: readonly number[] | null;
}

const headColumns = `p.project, p.version, p.generation, p.watermark, p.removals, p.is_append_only,
  (SELECT json_agg(b.number ORDER BY b.number) FROM {batch_projects} b
   WHERE b.project = p.project AND b.is_hidden = 1 AND b.number <= p.watermark) AS hidden`;

/** Returns the name of the store, which is random and never changes. */
export function* storeName(_session: Session): Operation<string> {
  return (yield* first<{ name: string }>("SELECT name FROM {identity}"))!.name;
}

/** Returns the head of a project; undefined before its first data. */
export function* readHead(_session: Session, projectId: number): Operation<ProjectHead | undefined> {
  const row = yield* first<HeadRow>(
    `SELECT ${headColumns} FROM {projects} p WHERE p.project = $1`,
    projectId,
  );
  return row === null ? undefined : headOf(row);
}

/** Returns the heads of all projects, in the order of their ids. */
export function* readHeads(_session: Session): Operation<readonly ProjectHead[]> {
  const rows = yield* all<HeadRow>(`SELECT ${headColumns} FROM {projects} p ORDER BY p.project`);
  return rows.map(headOf);
}

/** Returns the state of a project; undefined before its first data. One statement, so it is of one moment. */
export function* readState(_session: Session, projectId: number): Operation<ProjectState | undefined> {
  const row = yield* first<StateRow>(
    `SELECT ${headColumns}, p.dropped_before_ms, p.dropped_watermark,
       (SELECT json_agg(json_build_array(e.number, e.name, e.is_removed) ORDER BY e.number)
        FROM {event_names} e WHERE e.project = p.project) AS events,
       (SELECT json_agg(json_build_array(r.number, r.owner, r.name, r.type, r.object_group, r.is_removed)
          ORDER BY r.number)
        FROM {properties} r WHERE r.project = p.project) AS properties,
       (SELECT json_agg(json_build_array(c.name, c.day, c.kind, c.members, c.batch) ORDER BY c.batch)
        FROM {cohorts} c WHERE c.project = p.project) AS cohorts,
       (SELECT json_agg(json_build_object('number', d.number, 'watermark', d.watermark, 'hidden', d.hidden_batches,
          'start_ms', d.start_ms, 'end_ms', d.end_ms, 'events', d.events, 'users', d.users) ORDER BY d.number)
        FROM {deletions} d WHERE d.project = p.project) AS deletions
     FROM {projects} p WHERE p.project = $1`,
    projectId,
  );
  return row === null ? undefined : stateOf(row);
}

function headOf(row: HeadRow): ProjectHead {
  const { project, version, generation, watermark, hidden, removals, is_append_only: isAppendOnly } = row;
  return {
    projectId: project,
    version,
    generation,
    watermark,
    hiddenBatches: hidden ?? [],
    removals,
    mayHaveUpdatable: isAppendOnly === 0,
  };
}

function stateOf(row: StateRow): ProjectState {
  const { events, properties, cohorts, dropped_before_ms: beforeMs, dropped_watermark: watermark } = row;
  const named = (events ?? []).map(([number, name, isRemoved]) => ({ number, name, isRemoved }));
  const typed = (properties ?? []).map(([number, table, name, type, group, isRemoved]) => ({
    isRemoved,
    property: { table, name, number, type, ...(group === null ? {} : { group }) },
  }));
  return {
    ...headOf(row),
    events: named.filter(({ isRemoved }) => isRemoved === 0).map(({ number, name }) => ({ name, number })),
    properties: typed.filter(({ isRemoved }) => isRemoved === 0).map(({ property }) => property),
    removedEvents: named.filter(({ isRemoved }) => isRemoved === 1).map(({ number }) => number),
    removedProperties: typed
      .filter(({ isRemoved }) => isRemoved === 1)
      .map(({ property }) => property.number),
    dropped: beforeMs === null ? undefined : { beforeMs, watermark: watermark ?? 0 },
    deletions: (row.deletions ?? []).map(deletionOf),
    cohorts: (cohorts ?? []).map(([name, day, kind, members, batch]) => ({
      name,
      day,
      kind,
      members,
      batch,
    })),
  };
}

function deletionOf(row: DeletionRow): LedgerDeletion {
  const { number, watermark, hidden, start_ms: startMs, end_ms: endMs, events, users } = row;
  return {
    number,
    watermark,
    hiddenBatches: hidden,
    startMs: startMs ?? undefined,
    endMs: endMs ?? undefined,
    events: events ?? undefined,
    users: users ?? undefined,
  };
}

/** Records that a batch has events which later records may change. */
export function* addUpdatable(projectId: number): Operation<void> {
  yield* run("UPDATE {projects} SET is_append_only = 0 WHERE project = $1", projectId);
}

/**
 * Locks a project until the commit, creates it if necessary, and records that its data has changed.
 * @param isNewGeneration whether names, properties, cohorts or dropped days have changed
 */
export function* changeProject(projectId: number, isNewGeneration: boolean): Operation<void> {
  yield* run(
    `INSERT INTO {projects} AS p (project, version, generation, watermark, is_append_only)
     VALUES ($1, 1, 1, 0, 1)
     ON CONFLICT (project) DO UPDATE SET version = p.version + 1, generation = p.generation + $2`,
    projectId,
    isNewGeneration ? 1 : 0,
  );
}
