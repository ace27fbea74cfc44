import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createFileHolds } from "../../../../base/files/file-holds.ts";
import type { Inbox } from "../../../../store/inbox/inbox.ts";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";
import { openTempFolder } from "../temp-folder.ts";

const small = { reserveBytes: 0, minFreeBytes: 0, lockWaitMs: 10, quiet: { firstMs: 1, laterMs: 1 } };
const lease = { target: "t", maxElements: 10, leaseMs: 60_000 };

/** Returns the name of a thread of this process; undefined when it has ended. */
function nameOf(id: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${id}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Returns how many threads of inboxes this process has. */
function threads(): number {
  const names = readdirSync("/proc/self/task").map(nameOf);
  return names.filter((name) => name === "engage-inbox").length;
}

async function untilQuiet(): Promise<void> {
  await vi.waitUntil(() => threads() === 0, { interval: 5, timeout: 10_000 });
}

async function openQuiet(path: string): Promise<Inbox> {
  const inbox = await openSqliteInbox({ path, ...small });
  await untilQuiet();
  return inbox;
}

it("keeps the file from others while it has no thread", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const inbox = await openQuiet(path);
  const script = join(import.meta.dirname, "accept-loop.ts");
  const child = spawn(process.execPath, [script, path, "1"], { stdio: ["ignore", "ignore", "pipe"] });
  const [[text], [code]] = await Promise.all([once(child.stderr, "data"), once(child, "exit")]);
  expect(code).toBe(1);
  expect(`${text}`).toContain(`in use by process ${process.pid}`);
  await expect(openSqliteInbox({ path, ...small })).rejects.toThrow(`in use by process ${process.pid}`);
  await inbox[Symbol.asyncDispose]();
  await using again = await openSqliteInbox({ path, ...small });
  expect(await again.health()).toMatchObject({ writable: true });
});

it("answers without a thread what an idle server asks", async () => {
  await using folder = await openTempFolder();
  await using inbox = await openQuiet(join(folder.path, "inbox.db"));
  for (let round = 0; round < 2; round++) {
    expect(await inbox.lease(lease)).toEqual({ items: [], nextDueAtMs: null });
    expect(await inbox.counts()).toEqual([]);
    expect(await inbox.health()).toMatchObject({ writable: true, oldestPendingMs: null });
    expect(await inbox.prune()).toMatchObject({ more: false });
    // The first round needs a thread.
    await vi.waitUntil(() => threads() === 0 || round > 0, { interval: 5 });
  }
  expect(threads()).toBe(0);
});

it("has all that was stored before its thread ended", async () => {
  await using folder = await openTempFolder();
  await using inbox = await openQuiet(join(folder.path, "inbox.db"));
  for (const requestId of ["r1", "r2"]) {
    await inbox.accept(batchOf(["a"], { requestId }));
    await untilQuiet();
  }
  const { items } = await inbox.lease(lease);
  expect(items.map(({ requestId }) => requestId)).toEqual(["r1", "r2"]);
  await untilQuiet();
  expect(await inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }])).toMatchObject({
    kind: "settled",
  });
  expect(await inbox.counts()).toMatchObject([{ accepted: 2, delivered: 1, pending: 1 }]);
});

it("returns the space of pruned batches to the disk before its thread ends", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  let nowMs = 1_700_000_000_000;
  const clock = { now: () => nowMs, clockMs: () => nowMs, retention: { claimMs: 1, finishedMs: 1 } };
  await using inbox = await openSqliteInbox({ path, ...small, ...clock });
  // More than a thread returns at a time.
  for (let count = 0; count < 3; count++)
    await inbox.accept(batchOf([], { body: randomBytes(9 * 1_048_576) }));
  await untilQuiet();
  expect(statSync(path).size).toBeGreaterThan(27 * 1_048_576);
  nowMs += 1_000;
  expect(await inbox.prune()).toMatchObject({ batches: 3, more: false });
  await untilQuiet();
  expect(statSync(path).size).toBeLessThan(1_048_576);
});

it("ends a thread that cannot open the file, and the next call tries again", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  await using inbox = await openQuiet(path);
  renameSync(path, `${path}.old`);
  mkdirSync(path);
  await expect(inbox.accept(batchOf(["a"]))).rejects.toThrow("can't be opened");
  await expect(inbox.health()).resolves.toMatchObject({ writable: false });
  await untilQuiet();
  rmdirSync(path);
  renameSync(`${path}.old`, path);
  await inbox.accept(batchOf(["a"]));
  expect(await inbox.counts()).toMatchObject([{ accepted: 1 }]);
});

it("keeps a held file as it is, whether its thread had ended or not", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const holds = createFileHolds();
  await using inbox = await openSqliteInbox({ path, ...small, holds });
  await untilQuiet();
  const release = await holds.hold();
  const before = readFileSync(path);
  await inbox.accept(batchOf(["a"]));
  expect(readFileSync(path).equals(before)).toBe(true);
  await release();
  await untilQuiet();
  expect(readFileSync(path).equals(before)).toBe(false);
});
