import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { InboxDatabase, PAGE_BYTES } from "./database.ts";
import { isDiskFull, toNote } from "./errors.ts";
import { commitGroup, commitOnFullDisk, type GroupResult } from "./group-commit.ts";
import type { FromWorker, Request, ToWorker, WorkerSetup } from "./requests.ts";
import { DiskReserve } from "./reserve.ts";

/** Bounds what one commit holds in memory and how long those behind it wait. */
const MAX_GROUP = 256;
/** Pages of the tables and indexes that a commit writes besides the bodies, roughly. */
const COMMIT_BYTES = 65_536;
/** Moved in one go, at most: 8 MiB. */
const MAX_SHRINK_PAGES = 1_024;

const port = parentPort!;
const setup = workerData as WorkerSetup;
const reserve = new DiskReserve(setup.path, setup.reserveBytes);
const queue: Request[] = [];
let database: InboxDatabase | undefined;
let lastGroup = 0;
let walBytes = 0;
let timer: NodeJS.Timeout | undefined;

try {
  database = InboxDatabase.open(setup);
  reserve.keep();
  send({ kind: "opened", usedBytes: database.usedBytes });
  port.on("message", receive);
} catch (error) {
  send({ kind: "failed", error: toNote(setup.path, error) });
}

function receive(message: ToWorker): void {
  if (message.kind === "close") {
    while (queue.length > 0) work();
    close();
    return;
  }
  queue.push(...message.requests);
  // Senders that were answered together come back together: one sync for as many as last time.
  // Alone, a request doesn't wait.
  if (queue.length >= lastGroup) work();
  else timer ??= setTimeout(work, setup.lingerMs);
}

function work(): void {
  clearTimeout(timer);
  timer = undefined;
  drainPort();
  const group = queue.splice(0, groupSize());
  lastGroup = group.length;
  const result = commit(group);
  const usedBytes = result.failure === undefined ? database!.usedBytes : null;
  send({ kind: "replies", replies: result.replies, usedBytes });
  if (result.failure === undefined) tidy(group);
  if (queue.length > 0) timer ??= setTimeout(work, 0);
}

/** How many of those waiting share the next commit: at least one. */
function groupSize(): number {
  let bytes = 0;
  const over = queue.findIndex(({ args }, i) => {
    bytes += bodyBytes(args[0]);
    return i > 0 && (i === MAX_GROUP || bytes > setup.maxWalBytes / 2);
  });
  return over === -1 ? queue.length : over;
}

/** What arrived while the last commit ran joins this one. */
function drainPort(): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    const message = next.message as ToWorker;
    if (message.kind === "close") setImmediate(receive, message);
    else queue.push(...message.requests);
  }
}

function commit(group: readonly Request[]): GroupResult {
  try {
    database ??= InboxDatabase.open(setup);
  } catch (error) {
    const note = toNote(setup.path, error);
    return { replies: group.map(({ id }) => ({ id, error: note })), failure: error };
  }
  const result = commitGroup(database, setup.path, group);
  if (result.failure === undefined) return result;
  if (!isDiskFull(result.failure)) {
    reopenLater();
    return result;
  }
  reserve.release();
  const rest = commitOnFullDisk(database, setup.path, group, result.failure);
  if (rest.failure !== undefined) reopenLater();
  return rest;
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

/** Between commits: keeps the log short and the reserve in place. */
function tidy(group: readonly Request[]): void {
  walBytes += COMMIT_BYTES;
  for (const { args } of group) walBytes += bodyBytes(args[0]);
  const isIdle = queue.length === 0;
  try {
    if (group.some(({ name }) => name === "prune")) shrink();
    if (walBytes < (isIdle ? setup.maxWalBytes / 2 : setup.maxWalBytes)) return;
    walBytes = 0;
    database?.exec("PRAGMA wal_checkpoint(PASSIVE)");
    reserve.keep();
  } catch (error) {
    if (!isDiskFull(error)) reopenLater();
  }
}

/** Gives pages back to the disk when more than a quarter of the file is unused, some at a time. */
function shrink(): void {
  if (database === undefined || database.unusedBytes * 3 < database.usedBytes) return;
  const pages = database.shrink(MAX_SHRINK_PAGES);
  walBytes += pages * PAGE_BYTES;
}

function bodyBytes(arg: unknown): number {
  const body = (arg as { readonly body?: unknown } | null | undefined)?.body;
  return body instanceof Uint8Array ? body.length : 0;
}

function close(): void {
  reopenLater();
  send({ kind: "closed" });
  port.close();
}

function send(message: FromWorker): void {
  port.postMessage(message);
}
