import { start } from "../operations.ts";
import type { StoreDatabase } from "./database.ts";
import { sqliteDialect } from "./database.ts";
import { isStoreError, toNote } from "./notes.ts";
import type { Reply, Request } from "./requests.ts";
import type { SqliteStore } from "./store.ts";

/** How a group ended. `failure` is the store's; then nothing of the group has happened. */
export interface GroupResult {
  readonly replies: readonly Reply[];
  readonly failure: unknown;
}

/** Where a group is committed. */
export interface GroupPlace {
  readonly store: SqliteStore;
  readonly db: StoreDatabase;
  readonly path: string;
}

/**
 * Runs requests in one transaction, each behind a savepoint: one that can't be
 * fulfilled is undone alone. Replies are what may be said now, after the commit.
 */
export function commitGroup(place: GroupPlace, group: readonly Request[]): GroupResult {
  const { store, db, path } = place;
  const isLazy = group.every(({ name }) => store.lazy?.has(name));
  try {
    // What is not synced is in the log all the same, and is synced with the next commit.
    if (isLazy) db.exec("PRAGMA synchronous = NORMAL");
    db.exec("BEGIN");
    const replies = group.map((request) => attempt(place, request));
    // A power cut may undo it, which is no loss of what was acknowledged.
    if (isLazy) db.exec("COMMIT");
    else db.commit();
    return { replies, failure: undefined };
  } catch (error) {
    // SQLite may have rolled back by itself, and a second ROLLBACK would throw.
    if (db.isTransaction) db.exec("ROLLBACK");
    return {
      replies: group.map(({ id }) => ({ id, error: toNote(store.faults, path, error) })),
      failure: error,
    };
  } finally {
    if (isLazy) db.exec("PRAGMA synchronous = FULL");
  }
}

/** On a full disk: what frees room or needs little goes on, what takes room doesn't. */
export function commitOnFullDisk(
  place: GroupPlace,
  group: readonly Request[],
  failure: unknown,
): GroupResult {
  const { store, path } = place;
  const bringing = group.filter(({ name }) => store.bringing.has(name));
  const others = group.filter(({ name }) => !store.bringing.has(name));
  const rest = commitGroup(place, others);
  const error = toNote(store.faults, path, failure);
  return { ...rest, replies: [...bringing.map(({ id }) => ({ id, error })), ...rest.replies] };
}

function attempt({ store, db, path }: GroupPlace, { id, name, args, nowMs }: Request): Reply {
  db.exec("SAVEPOINT request");
  try {
    const session = { nowMs, shard: 0, dialect: sqliteDialect };
    const value = db.run(start(store.operations, name, session, args as never));
    db.exec("RELEASE request");
    return { id, value };
  } catch (error) {
    if (isStoreError(store.faults, error) || !db.isTransaction) throw error;
    db.exec("ROLLBACK TO request");
    db.exec("RELEASE request");
    return { id, error: toNote(store.faults, path, error) };
  }
}
