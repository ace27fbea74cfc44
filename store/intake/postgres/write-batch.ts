import { checkFence } from "../../leases/fence.ts";
import { first, type Operation, run, type Session } from "../../sql/query.ts";
import { IntakeUnavailableError } from "../intake.ts";
import { type PackedTexts, packTexts } from "./packed-texts.ts";
import { changedWords, otherSpool } from "./read-batch.ts";
import type { OutdatedBatches } from "./recent-uuids.ts";
import type { SpoolPart } from "./rewind.ts";
import { addUuidBatch, removeUuidBatches, type UuidBatch } from "./uuid-batches.ts";
import { dropUuidTables, forgetMovedUuids } from "./uuid-tables.ts";

/** All changes of a batch. */
export interface BatchChanges extends SpoolPart {
  /** The version of the state on which the changes are based. */
  readonly version: number;
  readonly seq: number;
  /** The end of the batch as a number. */
  readonly prepared: number;
  /** The projects with changes. */
  readonly projects: readonly ProjectChanges[];
  /** Undefined when the batch has no uuids. */
  readonly uuids: UuidChanges | undefined;
}

export interface UuidChanges {
  readonly added: UuidBatch;
  readonly outdated: OutdatedBatches;
  /** Whether uuids may be in tables. */
  readonly mayHaveTables: boolean;
}

export interface ProjectChanges {
  readonly projectId: number;
  readonly users: number;
  readonly accounts: readonly IdRows[];
  readonly newVisitors: readonly IdRows[];
  /** Visitors whose user has an account now. */
  readonly boundVisitors: readonly IdRows[];
  /** Ids which are added unless they exist. */
  readonly restoredAccounts: readonly IdRows[];
  readonly restoredVisitors: readonly IdRows[];
  readonly firstChecks: readonly { readonly event: string; readonly ids: PackedTexts }[];
}

/** Rows of one statement. The lists are arrays as PostgreSQL reads them. */
export interface IdRows {
  readonly ids: PackedTexts;
  readonly users: string;
  readonly bounds: string;
}

/**
 * Writes a batch.
 * @throws IntakeUnavailableError when another loader has changed the state
 */
export function* writeBatch(_session: Session, changes: BatchChanges): Operation<number> {
  const { spool, fence, seq, projects, uuids } = changes;
  if (fence !== undefined) yield* checkFence(fence.name, fence.token);
  const { version, moved_until_ms: movedUntilMs } = yield* moveHead(changes);
  for (const project of projects) yield* writeProject(spool, seq, project);
  if (uuids !== undefined) yield* writeUuids(spool, uuids, movedUntilMs);
  return version;
}

function* writeUuids(
  spool: number,
  { added, outdated, mayHaveTables }: UuidChanges,
  movedUntilMs: number | null,
): Operation<void> {
  const { expiredMs } = outdated;
  yield* removeUuidBatches(spool, outdated);
  yield* addUuidBatch(spool, added);
  if (mayHaveTables) yield* dropUuidTables(spool, expiredMs);
  if (movedUntilMs !== null && movedUntilMs < expiredMs) yield* forgetMovedUuids(spool);
}

interface MovedHead {
  readonly version: number;
  readonly moved_until_ms: number | null;
}

function* moveHead({ spool, prepared, version }: BatchChanges): Operation<MovedHead> {
  const head = yield* first<MovedHead>(
    `UPDATE {spools} SET prepared = $3, version = version + 1 WHERE spool = $1 AND version = $2
     RETURNING version, moved_until_ms`,
    spool,
    version,
    prepared,
  );
  if (head === null) throw new IntakeUnavailableError(changedWords);
  return head;
}

function* writeProject(spool: number, seq: number, project: ProjectChanges): Operation<void> {
  const { projectId, users } = project;
  const written = yield* first(
    `INSERT INTO {projects} AS p (project, spool, users) VALUES ($1, $2, $3)
     ON CONFLICT (project) DO UPDATE SET users = GREATEST(p.users, EXCLUDED.users)
     WHERE p.spool = EXCLUDED.spool RETURNING p.project`,
    projectId,
    spool,
    users,
  );
  if (written === null) throw otherSpool(projectId, spool);
  for (const rows of project.restoredAccounts)
    yield* writeIds(`${insertAccounts} ${unlessKnown}`, projectId, seq, rows);
  for (const rows of project.restoredVisitors)
    yield* writeIds(`${insertVisitors} ${unlessKnown}`, projectId, seq, rows);
  for (const rows of project.accounts) yield* writeIds(insertAccounts, projectId, seq, rows);
  for (const rows of project.newVisitors) yield* writeIds(insertVisitors, projectId, seq, rows);
  for (const rows of project.boundVisitors)
    yield* writeIds(`${insertVisitors} ${orReplace}`, projectId, seq, rows);
  for (const { event, ids } of project.firstChecks) {
    const { bytes: eventBytes } = packTexts([event]);
    yield* run(insertFirstChecks, projectId, ids.starts, ids.lengths, ids.bytes, seq, eventBytes);
  }
}

const key = "substring($4::bytea FROM k.start FOR k.length)";
const insertAccounts = `INSERT INTO {accounts} (project, id, user_id, seq)
  SELECT $1, ${key}, k.user_id, $5
  FROM unnest($2::integer[], $3::integer[], $6::bigint[]) AS k (start, length, user_id)`;
const insertVisitors = `INSERT INTO {visitors} (project, id, user_id, seq, bound)
  SELECT $1, ${key}, k.user_id, $5, k.bound
  FROM unnest($2::integer[], $3::integer[], $6::bigint[], $7::smallint[]) AS k (start, length, user_id, bound)`;
const insertFirstChecks = `INSERT INTO {first_checks} (project, event, id, seq)
  SELECT $1, $6::bytea, ${key}, $5 FROM unnest($2::integer[], $3::integer[]) AS k (start, length)`;
const unlessKnown = "ON CONFLICT (project, id) DO NOTHING";
const orReplace = `ON CONFLICT (project, id)
  DO UPDATE SET user_id = EXCLUDED.user_id, seq = EXCLUDED.seq, bound = EXCLUDED.bound`;

function* writeIds(sql: string, projectId: number, seq: number, rows: IdRows): Operation<void> {
  const { ids, users, bounds } = rows;
  const params = [projectId, ids.starts, ids.lengths, ids.bytes, seq, users];
  yield* run(sql, ...(sql.includes("$7") ? [...params, bounds] : params));
}
