import { start } from "../sql/operations.ts";
import type { InboxDatabase } from "./database.ts";
import { sqliteDialect } from "./database.ts";
import { isStoreError, toNote } from "./errors.ts";
import type { Reply, Request } from "./requests.ts";

/** How a group ended. `failure` is the store's; then nothing of the group has happened. */
export interface GroupResult {
  readonly replies: readonly Reply[];
  readonly failure: unknown;
}

/**
 * Runs requests in one transaction, each behind a savepoint: one that can't be
 * fulfilled is undone alone. Replies are what may be said now, after the commit.
 */
export function commitGroup(db: InboxDatabase, path: string, group: readonly Request[]): GroupResult {
  try {
    db.exec("BEGIN");
    const replies = group.map((request) => attempt(db, path, request));
    db.exec("COMMIT");
    return { replies, failure: undefined };
  } catch (error) {
    // SQLite may have rolled back by itself, and a second ROLLBACK would throw.
    if (db.isTransaction) db.exec("ROLLBACK");
    return { replies: group.map(({ id }) => ({ id, error: toNote(path, error) })), failure: error };
  }
}

/** On a full disk: what frees room or needs little goes on, what takes room doesn't. */
export function commitOnFullDisk(
  db: InboxDatabase,
  path: string,
  group: readonly Request[],
  failure: unknown,
): GroupResult {
  const accepts = group.filter(({ name }) => name === "accept");
  const others = group.filter(({ name }) => name !== "accept");
  const rest = commitGroup(db, path, others);
  const error = toNote(path, failure);
  return { ...rest, replies: [...accepts.map(({ id }) => ({ id, error })), ...rest.replies] };
}

function attempt(db: InboxDatabase, path: string, { id, name, args, nowMs }: Request): Reply {
  db.exec("SAVEPOINT request");
  try {
    const value = db.run(start(name, { nowMs, shard: 0, dialect: sqliteDialect }, args as never));
    db.exec("RELEASE request");
    return { id, value };
  } catch (error) {
    if (isStoreError(error) || !db.isTransaction) throw error;
    db.exec("ROLLBACK TO request");
    db.exec("RELEASE request");
    return { id, error: toNote(path, error) };
  }
}
