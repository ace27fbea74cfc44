import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { start } from "../sql/operations.ts";
import { ChannelsDatabase, sqliteDialect } from "./database.ts";
import { isStoreError, toNote } from "./errors.ts";
import type { FromWorker, Reply, Request, ToWorker, WorkerSetup } from "./requests.ts";

/** Bounds what one commit holds in memory and how long those behind it wait. */
const MAX_GROUP = 256;

const port = parentPort!;
const setup = workerData as WorkerSetup;
const queue: Request[] = [];
let database: ChannelsDatabase | undefined;
let lastGroup = 0;
let timer: NodeJS.Timeout | undefined;

try {
  database = ChannelsDatabase.open(setup);
  send({ kind: "opened" });
  port.on("message", receive);
} catch (error) {
  send({ kind: "failed", error: toNote(setup.path, error) });
}

function receive(message: ToWorker): void {
  if (message.kind === "close") {
    while (queue.length > 0) work();
    reopenLater();
    port.close();
    return;
  }
  queue.push(...message.requests);
  // Those who were answered together come back together: one sync for as many as last time.
  // Alone, a request doesn't wait.
  if (queue.length >= lastGroup) work();
  else timer ??= setTimeout(work, setup.lingerMs);
}

function work(): void {
  clearTimeout(timer);
  timer = undefined;
  drainPort();
  const group = queue.splice(0, MAX_GROUP);
  lastGroup = group.length;
  if (group.length > 0) send({ kind: "replies", replies: commit(group) });
  if (queue.length > 0) timer ??= setTimeout(work, 0);
}

/** What arrived while the last commit ran joins this one. */
function drainPort(): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    const message = next.message as ToWorker;
    if (message.kind === "close") setImmediate(receive, message);
    else queue.push(...message.requests);
  }
}

/**
 * Runs requests in one transaction, each behind a savepoint: one that can't be
 * fulfilled is undone alone. Replies are what may be said after the commit.
 */
function commit(group: readonly Request[]): readonly Reply[] {
  try {
    database ??= ChannelsDatabase.open(setup);
    const db = database;
    db.exec("BEGIN");
    const replies = group.map((request) => attempt(db, request));
    db.exec("COMMIT");
    return replies;
  } catch (error) {
    const note = toNote(setup.path, error);
    rollBack();
    return group.map(({ id }) => ({ id, error: note }));
  }
}

function attempt(db: ChannelsDatabase, { id, name, args, nowMs }: Request): Reply {
  db.exec("SAVEPOINT request");
  try {
    const value = db.run(start(name, { nowMs, dialect: sqliteDialect }, args as never));
    db.exec("RELEASE request");
    return { id, value };
  } catch (error) {
    if (isStoreError(error) || !db.isTransaction) throw error;
    db.exec("ROLLBACK TO request");
    db.exec("RELEASE request");
    return { id, error: toNote(setup.path, error) };
  }
}

function rollBack(): void {
  try {
    // SQLite may have rolled back by itself, and a second ROLLBACK would throw.
    if (database?.isTransaction) database.exec("ROLLBACK");
  } finally {
    reopenLater();
  }
}

/** After an I/O error what is in memory may not be what is on disk: the next request reads it anew. */
function reopenLater(): void {
  try {
    database?.[Symbol.dispose]();
  } catch {
    // Nothing is lost: the log is read again when the file is opened.
  }
  database = undefined;
}

function send(message: FromWorker): void {
  port.postMessage(message);
}
