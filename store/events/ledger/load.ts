import { checkFence } from "../../leases/fence.ts";
import { first, insertAll, type Operation, run, type Session } from "../../sql/query.ts";
import type { SpoolPlace } from "../load.ts";
import type { EventName, Property } from "../schema.ts";
import { BatchGivenUpError, namesRemoved } from "./faults.ts";
import { addUpdatable, changeProject } from "./state.ts";

/** The lease under which a spool is loaded. */
export interface Fence {
  readonly name: string;
  readonly token: number;
}

export interface BatchBegin {
  readonly spool: string;
  readonly to: SpoolPlace;
  readonly projects: readonly number[];
  /** Undefined for a spool which is loaded without a lease. */
  readonly fence: Fence | undefined;
}

/** A new number, unless the batch is loaded already. */
export interface BegunBatch {
  readonly number: number | undefined;
  readonly loadedTo: SpoolPlace | undefined;
}

/** What a batch changes in the ledger for one project. */
export interface LoadedProject {
  readonly projectId: number;
  /** Names which are not registered yet. */
  readonly newEvents: readonly EventName[];
  readonly newProperties: readonly Property[];
  /** The removals of the project when the numbers of its names were read; undefined without a check. */
  readonly removals?: number | undefined;
  /** The number of events of each day. */
  readonly days: readonly (readonly [day: number, events: number])[];
  /** Whether it has events that later records may change. */
  readonly hasUpdatable?: boolean;
}

export interface BatchEnd {
  readonly number: number;
  readonly spool: string;
  readonly to: SpoolPlace;
  readonly fence: Fence | undefined;
  readonly projects: readonly LoadedProject[];
}

/** The time between two remembered watermarks, and the time for which they are remembered. */
const markEveryMs = 600_000;
const keepMarksMs = 86_400_000;

interface SpoolRow {
  readonly file_number: number | null;
  readonly file_offset: number | null;
}

/** Returns the end of the loaded part of a spool. */
export function* loadedTo(_session: Session, spool: string): Operation<SpoolPlace | undefined> {
  return placeOf(yield* first<SpoolRow>("SELECT * FROM {spools} WHERE spool = $1", spool));
}

/**
 * Begins to load a batch: gives up all other attempts on the spool and returns a number which no batch
 * has had.
 * @throws LeaseLostError
 */
export function* beginBatch({ nowMs }: Session, batch: BatchBegin): Operation<BegunBatch> {
  const { spool, to, projects, fence } = batch;
  if (fence !== undefined) yield* checkFence(fence.name, fence.token);
  const place = yield* lockSpool(spool);
  if (!isAfter(to, place)) return { number: undefined, loadedTo: place };
  yield* run(
    "UPDATE {batches} SET state = 'void', delete_at_ms = $2 WHERE spool = $1 AND state = 'open'",
    spool,
    nowMs,
  );
  const number = yield* insertBatch({ spool, token: fence?.token ?? 0, nowMs });
  yield* insertAll(
    "INSERT INTO {batch_projects} (project, number, is_hidden)",
    projects.map((project) => [project, number, 1]),
  );
  return { number, loadedTo: place };
}

/** Inserts an open attempt; returns its number. */
export function* insertBatch(given: {
  readonly spool: string | null;
  readonly token: number;
  readonly nowMs: number;
}): Operation<number> {
  const row = yield* first<{ number: number }>(
    `INSERT INTO {batches} (spool, token, state, begun_at_ms) VALUES ($1, $2, 'open', $3) RETURNING number`,
    given.spool,
    given.token,
    given.nowMs,
  );
  return row!.number;
}

/**
 * Makes a batch visible, with its names, and moves the place of its spool.
 * @throws LeaseLostError
 * @throws BatchGivenUpError when another attempt has begun, so that nothing of this one counts
 * @throws NamesRemovedError when the numbers of its rows may belong to other names now
 */
export function* completeBatch({ nowMs }: Session, batch: BatchEnd): Operation<void> {
  const { number, spool, to, fence, projects } = batch;
  if (fence !== undefined) yield* checkFence(fence.name, fence.token);
  yield* lockSpool(spool);
  yield* endBatch(number);
  yield* run(
    "UPDATE {spools} SET file_number = $2, file_offset = $3 WHERE spool = $1",
    spool,
    to.number,
    to.offset,
  );
  // Projects are updated in one order, so that batches of several spools do not wait for each other in a circle.
  for (const project of projects.toSorted((a, b) => a.projectId - b.projectId)) {
    yield* completeProject(project, number, nowMs);
  }
}

/** Deletes an open attempt, which is done then. */
export function* endBatch(number: number): Operation<void> {
  const ended = yield* first(
    "DELETE FROM {batches} WHERE number = $1 AND state = 'open' RETURNING number",
    number,
  );
  if (ended === null) throw new BatchGivenUpError(`batch ${number} was given up while it was loaded`);
}

/** Gives up an attempt whose rows are not wanted. */
export function* abandonBatch({ nowMs }: Session, number: number): Operation<void> {
  yield* run(
    "UPDATE {batches} SET state = 'void', delete_at_ms = $2 WHERE number = $1 AND state = 'open'",
    number,
    nowMs,
  );
}

function* completeProject(
  { projectId, newEvents, newProperties, removals, days, hasUpdatable }: LoadedProject,
  number: number,
  nowMs: number,
): Operation<void> {
  yield* changeProject(projectId, newEvents.length + newProperties.length > 0);
  if (removals !== undefined) yield* checkRemovals(projectId, removals);
  yield* run(
    "UPDATE {projects} SET watermark = GREATEST(watermark, $2) WHERE project = $1",
    projectId,
    number,
  );
  yield* insertAll(
    "INSERT INTO {event_names} (project, number, name)",
    newEvents.map((one) => [projectId, one.number, one.name]),
  );
  yield* insertAll(
    "INSERT INTO {properties} (project, number, owner, name, type, object_group)",
    newProperties.map((one) => [projectId, one.number, one.table, one.name, one.type, one.group ?? null]),
  );
  if (hasUpdatable === true) yield* addUpdatable(projectId);
  for (const [day, events] of days) yield* addEvents(projectId, day, events);
  yield* markWatermark(projectId, nowMs);
}

/** To be called with the project locked. @throws NamesRemovedError */
function* checkRemovals(projectId: number, removals: number): Operation<void> {
  const row = yield* first<{ removals: number }>(
    "SELECT removals FROM {projects} WHERE project = $1",
    projectId,
  );
  if (row!.removals !== removals) throw namesRemoved(projectId);
}

export function* addEvents(projectId: number, day: number, events: number): Operation<void> {
  yield* run(
    `INSERT INTO {days} AS d (project, day, events, is_settled) VALUES ($1, $2, $3, 0)
     ON CONFLICT (project, day) DO UPDATE SET events = d.events + $3, is_settled = 0`,
    projectId,
    day,
    events,
  );
}

/** Remembers the watermark from time to time, and forgets old ones except the last. */
function* markWatermark(projectId: number, nowMs: number): Operation<void> {
  const last = yield* first<{ at_ms: number | null }>(
    "SELECT max(at_ms) AS at_ms FROM {marks} WHERE project = $1",
    projectId,
  );
  if (last?.at_ms != null && last.at_ms > nowMs - markEveryMs) return;
  yield* run("DELETE FROM {marks} WHERE project = $1 AND at_ms < $2", projectId, nowMs - keepMarksMs);
  yield* run(
    `INSERT INTO {marks} (project, at_ms, watermark)
     SELECT project, $2, watermark FROM {projects} WHERE project = $1 ON CONFLICT DO NOTHING`,
    projectId,
    nowMs,
  );
}

/** Locks a spool until the commit, and creates it if necessary. */
function* lockSpool(spool: string): Operation<SpoolPlace | undefined> {
  const row = yield* first<SpoolRow>(
    `INSERT INTO {spools} AS s (spool) VALUES ($1)
     ON CONFLICT (spool) DO UPDATE SET spool = s.spool RETURNING file_number, file_offset`,
    spool,
  );
  return placeOf(row);
}

function placeOf(row: SpoolRow | null): SpoolPlace | undefined {
  if (row === null || row.file_number === null || row.file_offset === null) return undefined;
  return { number: row.file_number, offset: row.file_offset };
}

export function isAfter(place: SpoolPlace, other: SpoolPlace | undefined): boolean {
  if (other === undefined || place.number > other.number) return true;
  return place.number === other.number && place.offset > other.offset;
}
