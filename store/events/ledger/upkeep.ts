import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { PropertyTable } from "../schema.ts";
import { ProjectChangedError } from "./faults.ts";
import { changeProject } from "./state.ts";

/** The events of one UTC day. */
export interface LedgerDay {
  /** Counted from 1970-01-01. */
  readonly day: number;
  readonly events: number;
  /** Whether nothing was added since the day was settled. */
  readonly isSettled: boolean;
}

/** A condition that nothing of a project has changed since it was read. */
export interface Unchanged {
  readonly projectId: number;
  readonly version: number;
}

interface DayRow {
  readonly day: number;
  readonly events: number;
  readonly is_settled: number;
}

/** Returns the days with events of a project, in order. */
export function* readDays(_session: Session, projectId: number): Operation<readonly LedgerDay[]> {
  const rows = yield* all<DayRow>(
    "SELECT day, events, is_settled FROM {days} WHERE project = $1 ORDER BY day",
    projectId,
  );
  return rows.map(({ day, events, is_settled }) => ({ day, events, isSettled: is_settled === 1 }));
}

/** Returns the number of events on days from `firstDay` to `lastDay`. */
export function* countEvents(
  _session: Session,
  projectId: number,
  firstDay: number,
  lastDay: number,
): Operation<number> {
  const row = yield* first<{ events: number }>(
    `SELECT CAST(coalesce(sum(events), 0) AS bigint) AS events FROM {days}
     WHERE project = $1 AND day BETWEEN $2 AND $3`,
    projectId,
    firstDay,
    lastDay,
  );
  return row!.events;
}

/** Records that a day is settled, unless events were added since it was read. */
export function* settleDay(
  _session: Session,
  projectId: number,
  { day, events }: LedgerDay,
): Operation<boolean> {
  const settled = yield* first(
    `UPDATE {days} SET is_settled = 1 WHERE project = $1 AND day = $2 AND events = $3 RETURNING day`,
    projectId,
    day,
    events,
  );
  return settled !== null;
}

/**
 * Drops the events of days before `firstDay` which are loaded up to the watermark.
 * @throws ProjectChangedError
 */
export function* dropDays({ nowMs }: Session, unchanged: Unchanged, firstDay: number): Operation<void> {
  yield* lockUnchanged(unchanged);
  const { projectId } = unchanged;
  yield* changeProject(projectId, true);
  yield* run("DELETE FROM {days} WHERE project = $1 AND day < $2", projectId, firstDay);
  yield* run(
    `UPDATE {projects} SET dropped_before_ms = $2, dropped_watermark = watermark, dropped_at_ms = $3
     WHERE project = $1`,
    projectId,
    firstDay * 86_400_000,
    nowMs,
  );
}

/** Returns the dropped events whose rows no request reads any more: those dropped before a time. */
export function* droppedBefore(
  _session: Session,
  projectId: number,
  atMs: number,
): Operation<{ readonly beforeMs: number; readonly watermark: number } | undefined> {
  const row = yield* first<{ dropped_before_ms: number; dropped_watermark: number }>(
    "SELECT dropped_before_ms, dropped_watermark FROM {projects} WHERE project = $1 AND dropped_at_ms <= $2",
    projectId,
    atMs,
  );
  return row === null ? undefined : { beforeMs: row.dropped_before_ms, watermark: row.dropped_watermark };
}

/** Records that the rows of dropped events are deleted. Requests need not leave them out any more. */
export function* droppedDeleted(_session: Session, projectId: number, watermark: number): Operation<void> {
  yield* run(
    `UPDATE {projects} SET dropped_before_ms = NULL, dropped_watermark = NULL, dropped_at_ms = NULL,
       generation = generation + 1
     WHERE project = $1 AND dropped_watermark = $2`,
    projectId,
    watermark,
  );
}

/** Names to remove from the ledger and from the tables. */
export interface LedgerRemoval extends Unchanged {
  readonly events: readonly number[];
  readonly properties: readonly number[];
  /** The number of events to remove from each day. */
  readonly days: readonly (readonly [day: number, events: number])[];
}

/**
 * Hides names and their events. Their numbers stay in use until `removalDone`.
 * @throws ProjectChangedError
 */
export function* beginRemoval(_session: Session, removal: LedgerRemoval): Operation<void> {
  yield* lockUnchanged(removal);
  const { projectId, events, properties, days } = removal;
  yield* changeProject(projectId, true);
  yield* run("UPDATE {projects} SET removals = removals + 1 WHERE project = $1", projectId);
  yield* run(
    `UPDATE {event_names} SET is_removed = 1 WHERE project = $1
     AND number = ANY($2::bigint[])`,
    projectId,
    arrayOf(events),
  );
  yield* run(
    `UPDATE {properties} SET is_removed = 1 WHERE project = $1
     AND number = ANY($2::bigint[])`,
    projectId,
    arrayOf(properties),
  );
  yield* subtractDays(projectId, days);
}

/** Subtracts deleted events from days; deletes days without events. */
export function* subtractDays(projectId: number, days: LedgerRemoval["days"]): Operation<void> {
  for (const [day, removed] of days) {
    yield* run(
      "UPDATE {days} SET events = events - $3 WHERE project = $1 AND day = $2",
      projectId,
      day,
      removed,
    );
  }
  yield* run("DELETE FROM {days} WHERE project = $1 AND events <= 0", projectId);
}

/** A property whose column is to be deleted. */
export interface RemovedProperty {
  readonly table: PropertyTable;
  readonly number: number;
}

/** Names whose rows and columns are to be deleted. */
export interface UnfinishedRemoval {
  readonly events: readonly number[];
  readonly properties: readonly RemovedProperty[];
}

export function* unfinishedRemoval(_session: Session, projectId: number): Operation<UnfinishedRemoval> {
  const events = yield* all<{ number: number }>(
    "SELECT number FROM {event_names} WHERE project = $1 AND is_removed = 1",
    projectId,
  );
  const properties = yield* all<{ number: number; owner: PropertyTable }>(
    "SELECT number, owner FROM {properties} WHERE project = $1 AND is_removed = 1",
    projectId,
  );
  return {
    events: events.map(({ number }) => number),
    properties: properties.map(({ number, owner }) => ({ number, table: owner })),
  };
}

/** Records that the rows and columns of removed names are deleted, so that their numbers are free. */
export function* removalDone(
  _session: Session,
  projectId: number,
  { events, properties }: UnfinishedRemoval,
): Operation<void> {
  yield* changeProject(projectId, true);
  yield* run(
    `DELETE FROM {event_names} WHERE project = $1 AND is_removed = 1
     AND number = ANY($2::bigint[])`,
    projectId,
    arrayOf(events),
  );
  yield* run(
    `DELETE FROM {properties} WHERE project = $1 AND is_removed = 1
     AND number = ANY($2::bigint[])`,
    projectId,
    arrayOf(properties.map(({ number }) => number)),
  );
}

/** Returns numbers as an array, in which the engine looks each number up by its hash. */
export const arrayOf = (numbers: readonly number[]): string => `{${numbers.join(",")}}`;

/** @throws ProjectChangedError */
export function* lockUnchanged({ projectId, version }: Unchanged): Operation<void> {
  const row = yield* first<{ version: number }>(
    "SELECT version FROM {projects} WHERE project = $1 FOR UPDATE",
    projectId,
  );
  if (row?.version === version) return;
  throw new ProjectChangedError(`project ${projectId} has version ${row?.version ?? 0}, not ${version}`);
}
