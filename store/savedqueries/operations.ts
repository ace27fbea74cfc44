import type { StoreFaults } from "../sql/faults.ts";
import { all, first, type Operation, run, type Session } from "../sql/query.ts";
import {
  type ListedQuery,
  maxQueriesOfProject,
  type NewSavedQuery,
  type QueryCreated,
  type QueryPage,
  type QueryUpdated,
  SavedQueriesFullError,
  SavedQueriesOpenError,
  SavedQueriesUnavailableError,
  type StoredQuery,
} from "./savedqueries.ts";

interface ListedRow {
  readonly seq: number;
  readonly project_id: number;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

interface QueryRow extends ListedRow {
  readonly request: string;
}

const listed = "seq, project_id, name, description, version, created_at_ms, updated_at_ms";
const columns = `${listed}, request`;

export function* create({ nowMs }: Session, query: NewSavedQuery): Operation<QueryCreated> {
  const { projectId, name, description, request } = query;
  const last = yield* first(
    "SELECT name FROM {queries} WHERE project_id = $1 ORDER BY name LIMIT 1 OFFSET $2",
    projectId,
    maxQueriesOfProject - 1,
  );
  if (last !== null) return { kind: "too_many" };
  const row = yield* first<QueryRow>(
    `INSERT INTO {queries} (project_id, name, description, request, version, created_at_ms, updated_at_ms)
     VALUES ($1, $2, $3, $4, 1, $5, $5) ON CONFLICT (project_id, name) DO NOTHING RETURNING ${columns}`,
    projectId,
    name,
    description,
    request,
    nowMs,
  );
  return row === null ? { kind: "name_taken" } : { kind: "saved", query: toStored(row) };
}

export function* find(_session: Session, projectId: number, queryId: string): Operation<StoredQuery | null> {
  const row = yield* first<QueryRow>(
    `SELECT ${columns} FROM {queries} WHERE seq = $1 AND project_id = $2`,
    seqOf(queryId),
    projectId,
  );
  return row && toStored(row);
}

export function* list(
  _session: Session,
  projectId: number,
  { limit, after = "" }: { readonly limit: number; readonly after?: string },
): Operation<QueryPage> {
  const rows = yield* all<ListedRow>(
    `SELECT ${listed} FROM {queries} WHERE project_id = $1 AND name > $2 ORDER BY name LIMIT $3`,
    projectId,
    after,
    limit + 1,
  );
  const items = rows.slice(0, limit).map(toListed);
  return { items, next: rows.length > limit ? items.at(-1)!.name : null };
}

export function* update(
  { nowMs, dialect }: Session,
  queryId: string,
  version: number | undefined,
  query: NewSavedQuery,
): Operation<QueryUpdated> {
  const { projectId, name, description, request } = query;
  const seq = seqOf(queryId);
  const present = yield* lock(dialect.forUpdate, projectId, seq);
  if (present === null) return { kind: "unknown" };
  if (version !== undefined && version !== present.version) return { kind: "stale" };
  const other = yield* first(
    "SELECT seq FROM {queries} WHERE project_id = $1 AND name = $2 AND seq <> $3",
    projectId,
    name,
    seq,
  );
  if (other !== null) return { kind: "name_taken" };
  const row = yield* first<QueryRow>(
    `UPDATE {queries} SET name = $1, description = $2, request = $3, version = version + 1, updated_at_ms = $4
     WHERE seq = $5 RETURNING ${columns}`,
    name,
    description,
    request,
    nowMs,
    seq,
  );
  return { kind: "saved", query: toStored(row!) };
}

export function* remove(
  { dialect }: Session,
  projectId: number,
  queryId: string,
  version: number | undefined,
): Operation<"deleted" | "unknown" | "stale"> {
  const seq = seqOf(queryId);
  const present = yield* lock(dialect.forUpdate, projectId, seq);
  if (present === null) return "unknown";
  if (version !== undefined && version !== present.version) return "stale";
  yield* run("DELETE FROM {queries} WHERE seq = $1", seq);
  return "deleted";
}

function* lock(forUpdate: string, projectId: number, seq: number): Operation<ListedRow | null> {
  const sql = `SELECT ${listed} FROM {queries} WHERE seq = $1 AND project_id = $2 ${forUpdate}`;
  return yield* first<ListedRow>(sql, seq, projectId);
}

/** Returns the number of an id; -1, which no row has, for other texts. 15 digits stay below 2^53. */
function seqOf(queryId: string): number {
  return /^q\d{1,15}$/.test(queryId) ? Number(queryId.slice(1)) : -1;
}

function toListed(row: ListedRow): ListedQuery {
  return {
    queryId: `q${row.seq}`,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    version: row.version,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

function toStored(row: QueryRow): StoredQuery {
  return { ...toListed(row), request: row.request };
}

export const operations = { create, find, list, update, remove } as const;

export type SavedQueryOperations = typeof operations;

export const savedQueryFaults: StoreFaults = {
  noun: "store of saved queries",
  ifNotDurable: "a crash would lose saved queries",
  ifDamaged: "restore it, or move it away to start with an empty one",
  OpenError: SavedQueriesOpenError,
  UnavailableError: SavedQueriesUnavailableError,
  FullError: SavedQueriesFullError,
  requestErrors: [RangeError],
};
