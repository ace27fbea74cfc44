import { start } from "../operations.ts";
import type { StoreDatabase } from "./database.ts";
import { sqliteDialect } from "./database.ts";
import { isStoreError, serializeError } from "./errors.ts";
import type { Reply, Request } from "./messages.ts";
import type { SqliteStore } from "./sqlite.ts";

/** The outcome of a group. With a `failure`, which is the store's, the whole group is rolled back. */
export interface GroupResult {
  readonly replies: readonly Reply[];
  readonly failure: unknown;
}

/** The database that a group is committed to. */
export interface GroupContext {
  readonly store: SqliteStore;
  readonly db: StoreDatabase;
  readonly path: string;
}

/**
 * Runs requests in one transaction. When one fails, all are undone and run again, each within a savepoint, so that the
 * one that fails is undone alone: savepoints for all would copy each page once for each request. The replies are valid
 * since the commit is done.
 */
export function commitGroup(context: GroupContext, group: readonly Request[]): GroupResult {
  const { store, db, path } = context;
  const isUnsynced = group.every(({ name }) => store.unsynced?.has(name));
  try {
    // An unsynced commit is in the log nevertheless, and is synced with the next commit.
    if (isUnsynced) db.exec("PRAGMA synchronous = NORMAL");
    const replies = runGroup(context, group);
    // This commit is not counted in the mark: a power failure may undo it without losing anything acknowledged.
    if (isUnsynced) db.exec("COMMIT");
    else db.commit();
    return { replies, failure: undefined };
  } catch (error) {
    // SQLite may have rolled back by itself, and a second ROLLBACK would throw.
    if (db.isTransaction) db.exec("ROLLBACK");
    return {
      replies: group.map(({ id }) => ({ id, error: serializeError(store.faults, path, error) })),
      failure: error,
    };
  } finally {
    if (isUnsynced) db.exec("PRAGMA synchronous = FULL");
  }
}

/** Begins a transaction and runs requests in it. */
function runGroup(context: GroupContext, group: readonly Request[]): readonly Reply[] {
  const { store, db } = context;
  db.exec("BEGIN");
  try {
    return group.map((request) => ({ id: request.id, value: run(context, request) }));
  } catch (error) {
    if (isStoreError(store.faults, error) || !db.isTransaction) throw error;
    db.exec("ROLLBACK");
  }
  db.exec("BEGIN");
  return group.map((request) => attempt(context, request));
}

/** Commits a group on a full disk: refuses the operations that store data, and runs the others. */
export function commitOnFullDisk(
  context: GroupContext,
  group: readonly Request[],
  failure: unknown,
): GroupResult {
  const { store, path } = context;
  const storing = group.filter(({ name }) => store.storesData.has(name));
  const others = group.filter(({ name }) => !store.storesData.has(name));
  const rest = commitGroup(context, others);
  const error = serializeError(store.faults, path, failure);
  return { ...rest, replies: [...storing.map(({ id }) => ({ id, error })), ...rest.replies] };
}

function attempt(context: GroupContext, request: Request): Reply {
  const { store, db, path } = context;
  const { id } = request;
  db.exec("SAVEPOINT request");
  try {
    const value = run(context, request);
    db.exec("RELEASE request");
    return { id, value };
  } catch (error) {
    if (isStoreError(store.faults, error) || !db.isTransaction) throw error;
    db.exec("ROLLBACK TO request");
    db.exec("RELEASE request");
    return { id, error: serializeError(store.faults, path, error) };
  }
}

function run({ store, db }: GroupContext, { name, args, nowMs }: Request): unknown {
  const session = { nowMs, shard: 0, dialect: sqliteDialect };
  return db.run(start(store.operations, name, session, args as never));
}
