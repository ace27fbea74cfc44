import { checkFence } from "../../leases/fence.ts";
import { all, first, insertAll, type Operation, run, type Session } from "../../sql/query.ts";
import type { PartCohort } from "../contents.ts";
import type { EventName, Property, PropertyTable, PropertyType } from "../schema.ts";
import { addEvents, endBatch, type Fence, insertBatch } from "./load.ts";
import { addUpdatable, changeProject } from "./state.ts";

/** The state of a move from a source into this store. */
export type MoveState =
  /** The store holds no move, and data from elsewhere. */
  | "occupied"
  /** The store holds the move of another source. */
  | "other"
  | "begun"
  | "finished";

interface MoveRow {
  readonly source: string;
  readonly finished_at_ms: number | null;
}

/** The spool of batches which are copied. */
const moveSpool = "move";
const readMove = "SELECT source, finished_at_ms FROM {moves}";

/** Begins the move of a source, if the store is empty, or finds it begun. */
export function* beginMove(_session: Session, source: string, fence: Fence): Operation<MoveState> {
  yield* checkFence(fence.name, fence.token);
  const move = yield* first<MoveRow>(readMove);
  if (move !== null) {
    if (move.source !== source) return "other";
    return move.finished_at_ms === null ? "begun" : "finished";
  }
  const project = yield* first("SELECT project FROM {projects} LIMIT 1");
  const spool = yield* first("SELECT spool FROM {spools} LIMIT 1");
  if (project !== null || spool !== null) return "occupied";
  yield* run("INSERT INTO {moves} (source) VALUES ($1)", source);
  return "begun";
}

export function* finishMove({ nowMs }: Session, fence: Fence): Operation<void> {
  yield* checkFence(fence.name, fence.token);
  yield* run("UPDATE {moves} SET finished_at_ms = $1", nowMs);
  yield* run("DELETE FROM {moved_parts}");
}

/** Returns the progress of a move into this store; undefined without one. */
export function* moveProgress(_session: Session): Operation<"begun" | "finished" | undefined> {
  const move = yield* first<MoveRow>(readMove);
  if (move === null) return undefined;
  return move.finished_at_ms === null ? "begun" : "finished";
}

export interface MovedPart {
  readonly name: string;
  readonly stamp: string;
}

/** Returns the copied parts of a project. */
export function* movedParts(_session: Session, projectId: number): Operation<readonly MovedPart[]> {
  return yield* all<MovedPart>("SELECT name, stamp FROM {moved_parts} WHERE project = $1", projectId);
}

export interface MovedNames {
  readonly projectId: number;
  readonly events: readonly EventName[];
  readonly properties: readonly Property[];
  readonly fence: Fence;
}

interface PropertyRow {
  readonly number: number;
  readonly owner: PropertyTable;
  readonly name: string;
  readonly type: PropertyType;
  readonly object_group: string | null;
}

/**
 * Gives a project the names of the source. When it has another one, which the source has removed since, the copied
 * parts of the project are given up, since its rows may have values of it.
 */
export function* setMovedNames({ nowMs }: Session, names: MovedNames): Operation<void> {
  const { projectId, events, properties, fence } = names;
  yield* checkFence(fence.name, fence.token);
  yield* changeProject(projectId, true);
  const knownEvents = yield* all<EventName>(
    "SELECT number, name FROM {event_names} WHERE project = $1",
    projectId,
  );
  const knownProperties = yield* all<PropertyRow>(
    "SELECT number, owner, name, type, object_group FROM {properties} WHERE project = $1",
    projectId,
  );
  const wantedEvents = new Set(events.map(eventKey));
  const wantedProperties = new Set(properties.map((one) => propertyKey(rowOf(one))));
  const isRemoved =
    knownEvents.some((one) => !wantedEvents.has(eventKey(one))) ||
    knownProperties.some((one) => !wantedProperties.has(propertyKey(one)));
  if (isRemoved) yield* giveUpProject(projectId, nowMs);
  const newEvents = isRemoved ? events : without(events, knownEvents.map(eventKey), eventKey);
  const newProperties = isRemoved
    ? properties
    : without(properties, knownProperties.map(propertyKey), (one) => propertyKey(rowOf(one)));
  yield* insertAll(
    "INSERT INTO {event_names} (project, number, name)",
    newEvents.map((one) => [projectId, one.number, one.name]),
  );
  yield* insertAll(
    "INSERT INTO {properties} (project, number, owner, name, type, object_group)",
    newProperties
      .map(rowOf)
      .map((one) => [projectId, one.number, one.owner, one.name, one.type, one.object_group]),
  );
}

const eventKey = ({ number, name }: EventName): string => JSON.stringify([number, name]);
const propertyKey = ({ number, owner, name, type, object_group: group }: PropertyRow): string =>
  JSON.stringify([number, owner, name, type, group]);

function rowOf({ number, table, name, type, group }: Property): PropertyRow {
  return { number, name, type, owner: table, object_group: group ?? null };
}

function without<T>(all: readonly T[], keys: readonly string[], keyOf: (one: T) => string): readonly T[] {
  const known = new Set(keys);
  return all.filter((one) => !known.has(keyOf(one)));
}

function* giveUpProject(projectId: number, nowMs: number): Operation<void> {
  const parts = yield* all<PartRow>(`${selectParts} WHERE project = $1`, projectId);
  for (const part of parts) yield* giveUpPart(projectId, part, nowMs);
  yield* run("DELETE FROM {cohorts} WHERE project = $1", projectId);
  yield* run("DELETE FROM {event_names} WHERE project = $1", projectId);
  yield* run("DELETE FROM {properties} WHERE project = $1", projectId);
}

interface PartRow {
  readonly name: string;
  readonly batch: number;
  readonly day: number | null;
  readonly events: number;
}

const selectParts = "SELECT name, batch, day, events FROM {moved_parts}";

/** Hides the rows of a part, which are deleted later. */
function* giveUpPart(
  projectId: number,
  { name, batch, day, events }: PartRow,
  nowMs: number,
): Operation<void> {
  yield* run(
    `INSERT INTO {batches} (number, spool, token, state, begun_at_ms, delete_at_ms)
     OVERRIDING SYSTEM VALUE VALUES ($1, NULL, 0, 'void', $2, $3)`,
    batch,
    nowMs,
    nowMs,
  );
  yield* run(
    "INSERT INTO {batch_projects} (project, number, is_hidden) VALUES ($1, $2, 1)",
    projectId,
    batch,
  );
  yield* run("DELETE FROM {moved_parts} WHERE project = $1 AND name = $2", projectId, name);
  if (day === null) return;
  yield* run(
    "UPDATE {days} SET events = events - $3 WHERE project = $1 AND day = $2",
    projectId,
    day,
    events,
  );
  yield* run("DELETE FROM {days} WHERE project = $1 AND day = $2 AND events <= 0", projectId, day);
}

/** Gives up parts which the source has no more. */
export function* removeMovedParts(
  { nowMs }: Session,
  projectId: number,
  names: readonly string[],
  fence: Fence,
): Operation<void> {
  yield* checkFence(fence.name, fence.token);
  yield* changeProject(projectId, true);
  for (const name of names) {
    const part = yield* first<PartRow>(`${selectParts} WHERE project = $1 AND name = $2`, projectId, name);
    if (part === null) continue;
    yield* giveUpPart(projectId, part, nowMs);
    yield* run("DELETE FROM {cohorts} WHERE project = $1 AND batch = $2", projectId, part.batch);
  }
}

/** Begins to copy a part; returns the number of its rows. What died before is given up. */
export function* beginMovedPart(
  { nowMs }: Session,
  projectId: number,
  { name, token }: Fence,
): Operation<number> {
  yield* checkFence(name, token);
  yield* run(
    "UPDATE {batches} SET state = 'void', delete_at_ms = $2 WHERE spool = $1 AND state = 'open'",
    moveSpool,
    nowMs,
  );
  const number = yield* insertBatch({ spool: moveSpool, token, nowMs });
  yield* run(
    "INSERT INTO {batch_projects} (project, number, is_hidden) VALUES ($1, $2, 1)",
    projectId,
    number,
  );
  return number;
}

export interface CopiedPart {
  readonly projectId: number;
  readonly number: number;
  readonly name: string;
  readonly stamp: string;
  /** The day of events. */
  readonly day: number | undefined;
  readonly rows: number;
  readonly cohort: PartCohort | undefined;
  /** Whether the rows are events that later records may change. */
  readonly isUpdatable: boolean;
  readonly fence: Fence;
}

/** Makes a copied part visible, instead of its last copy. */
export function* completeMovedPart({ nowMs }: Session, part: CopiedPart): Operation<void> {
  const { projectId, number, name, stamp, day, rows, cohort, isUpdatable, fence } = part;
  yield* checkFence(fence.name, fence.token);
  yield* changeProject(projectId, true);
  yield* endBatch(number);
  yield* run(
    "UPDATE {projects} SET watermark = GREATEST(watermark, $2) WHERE project = $1",
    projectId,
    number,
  );
  const before = yield* first<PartRow>(`${selectParts} WHERE project = $1 AND name = $2`, projectId, name);
  if (before !== null) yield* giveUpPart(projectId, before, nowMs);
  yield* run(
    "INSERT INTO {moved_parts} (project, name, stamp, batch, day, events) VALUES ($1, $2, $3, $4, $5, $6)",
    projectId,
    name,
    stamp,
    number,
    day ?? null,
    rows,
  );
  if (isUpdatable) yield* addUpdatable(projectId);
  if (day !== undefined) yield* addEvents(projectId, day, rows);
  if (cohort === undefined) return;
  yield* run(
    `INSERT INTO {cohorts} (project, name, day, kind, members, batch) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (project, name, day) DO UPDATE SET kind = $4, members = $5, batch = $6`,
    projectId,
    cohort.name,
    cohort.day,
    cohort.kind,
    rows,
    number,
  );
}
