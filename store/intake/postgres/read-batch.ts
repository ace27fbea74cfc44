import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import { IntakeUnavailableError } from "../intake.ts";
import { type PackedTexts, packTexts } from "./packed-texts.ts";
import { hashBytes, movedHashBytes } from "./uuid-hash.ts";
import { runOnce, uuidTable } from "./uuid-tables.ts";

/** What a batch asks for. */
export interface BatchQuestion {
  readonly spool: number;
  /** The version of the state that the asker knows. */
  readonly version: number;
  readonly projects: readonly ProjectQuestion[];
}

export interface ProjectQuestion {
  readonly projectId: number;
  readonly accounts: readonly PackedTexts[];
  readonly visitors: readonly PackedTexts[];
  /** Hashes one after the other. */
  readonly uuids: readonly Uint8Array[];
  readonly firstChecks: readonly { readonly event: string; readonly ids: readonly PackedTexts[] }[];
}

export interface BatchAnswer {
  readonly uuidTables: readonly UuidTable[];
  /** Whether uuids of a data folder that was moved still count. */
  readonly hasMoved: boolean;
  /** The answers in the order of the question. */
  readonly projects: readonly ProjectAnswer[];
}

/** The rows of each chunk of the question. */
export interface ProjectAnswer {
  readonly users: number;
  readonly accounts: readonly (readonly FoundId[])[];
  readonly visitors: readonly (readonly FoundId[])[];
  readonly uuids: readonly (readonly FoundUuid[])[];
  readonly firstChecks: readonly (readonly (readonly Found[])[])[];
}

/** `at` is the position of the key in its chunk, counted from 1. */
export interface Found {
  readonly at: number;
}

export interface FoundId extends Found {
  readonly user_id: number;
  readonly seq: number;
  readonly bound: number;
}

export interface FoundUuid extends Found {
  readonly time_ms: number;
  readonly seq: number;
}

export interface UuidTable {
  readonly day: number;
  readonly uuids: number;
}

/**
 * Thousands of keys are looked up one by one in indexes, whatever the planner believes about the sizes
 * of the tables, which grow while it reuses its plan. Compiling such a plan takes longer than to run it.
 */
const lookUpSettings = ["hashjoin", "mergejoin", "seqscan", "bitmapscan"]
  .map((name) => `set_config('enable_${name}', 'off', true)`)
  .join(", ");

/**
 * Reads all that is known of the keys of a batch.
 * @throws IntakeUnavailableError when another loader has changed the state
 */
export function* readBatch(_session: Session, question: BatchQuestion): Operation<BatchAnswer> {
  const { spool, version, projects } = question;
  const head = yield* first<{ version: number; moved_until_ms: number | null }>(
    "SELECT version, moved_until_ms FROM {spools} WHERE spool = $1",
    spool,
  );
  if (head?.version !== version) throw new IntakeUnavailableError(changedWords);
  yield* run(`SELECT ${lookUpSettings}, set_config('jit', 'off', true)`);
  const uuidTables = yield* all<UuidTable>(
    "SELECT day, claims AS uuids FROM {uuid_tables} WHERE spool = $1 ORDER BY day",
    spool,
  );
  const answers: ProjectAnswer[] = [];
  const tables = { uuidTables, hasMoved: head.moved_until_ms !== null };
  for (const project of projects) answers.push(yield* readProject(spool, project, tables));
  return { ...tables, projects: answers };
}

export const changedWords = "intake database: another loader has changed the intake of this spool";

function* readProject(
  spool: number,
  { projectId, ...asked }: ProjectQuestion,
  tables: TablesOfUuids,
): Operation<ProjectAnswer> {
  const users = yield* readUsers(spool, projectId);
  const accounts: (readonly FoundId[])[] = [];
  for (const keys of asked.accounts) accounts.push(yield* findIds(projectId, keys, selectAccounts));
  const visitors: (readonly FoundId[])[] = [];
  for (const keys of asked.visitors) visitors.push(yield* findIds(projectId, keys, selectVisitors));
  const uuids: (readonly FoundUuid[])[] = [];
  for (const hashes of asked.uuids) uuids.push(yield* findUuids(spool, hashes, tables));
  const firstChecks: (readonly (readonly Found[])[])[] = [];
  for (const { event, ids } of asked.firstChecks) {
    const chunks: (readonly Found[])[] = [];
    for (const keys of ids) chunks.push(yield* findFirstChecks(projectId, event, keys));
    firstChecks.push(chunks);
  }
  return { users, accounts, visitors, uuids, firstChecks };
}

function* readUsers(spool: number, projectId: number): Operation<number> {
  const row = yield* first<{ spool: number; users: number }>(
    "SELECT spool, users FROM {projects} WHERE project = $1",
    projectId,
  );
  if (row !== null && row.spool !== spool) throw otherSpool(projectId, spool);
  return row?.users ?? 0;
}

export function otherSpool(projectId: number, spool: number): Error {
  return new RangeError(`project ${projectId} is of another spool than ${spool}`);
}

const keysFrom = "unnest($2::integer[], $3::integer[]) WITH ORDINALITY AS k (start, length, at)";
const key = "substring($4::bytea FROM k.start FOR k.length)";
const selectAccounts = `SELECT k.at, i.user_id, i.seq, 0 AS bound
  FROM ${keysFrom} JOIN {accounts} i ON i.project = $1 AND i.id = ${key}`;
const selectVisitors = `SELECT k.at, i.user_id, i.seq, i.bound
  FROM ${keysFrom} JOIN {visitors} i ON i.project = $1 AND i.id = ${key}`;
const selectFirstChecks = `SELECT k.at
  FROM ${keysFrom} JOIN {first_checks} f ON f.project = $1 AND f.event = $5::bytea AND f.id = ${key}`;

function* findIds(
  projectId: number,
  { starts, lengths, bytes }: PackedTexts,
  sql: string,
): Operation<readonly FoundId[]> {
  return yield* all<FoundId>(sql, projectId, starts, lengths, bytes);
}

function* findFirstChecks(
  projectId: number,
  event: string,
  { starts, lengths, bytes }: PackedTexts,
): Operation<readonly Found[]> {
  const { bytes: eventBytes } = packTexts([event]);
  return yield* all<Found>(selectFirstChecks, projectId, starts, lengths, bytes, eventBytes);
}

type TablesOfUuids = Pick<BatchAnswer, "uuidTables" | "hasMoved">;

/** They count as claimed before all places, so that later claims replace them. */
function* findMovedUuids(hashes: Uint8Array): Operation<readonly FoundUuid[]> {
  return yield* all<FoundUuid>(
    `SELECT k.at, u.time_ms, 0 AS seq FROM generate_series(1, $1::integer) AS k (at)
     JOIN {moved_uuids} u
       ON u.hash = substring($2::bytea FROM k.at * ${hashBytes} - ${hashBytes - 1} FOR ${movedHashBytes})`,
    hashes.length / hashBytes,
    hashes,
  );
}

function* findUuids(
  spool: number,
  hashes: Uint8Array,
  { uuidTables, hasMoved }: TablesOfUuids,
): Operation<readonly FoundUuid[]> {
  const found: (readonly FoundUuid[])[] = [];
  if (hasMoved) found.push(yield* findMovedUuids(hashes));
  for (const { day } of uuidTables) {
    found.push(
      yield* runOnce<FoundUuid>(
        `SELECT k.at, u.time_ms, u.seq FROM generate_series(1, $1::integer) AS k (at)
         JOIN ${uuidTable(spool, day)} u
           ON u.hash = substring($2::bytea FROM k.at * ${hashBytes} - ${hashBytes - 1} FOR ${hashBytes})`,
        hashes.length / hashBytes,
        hashes,
      ),
    );
  }
  return found.flat();
}
