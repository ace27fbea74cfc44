import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, vi } from "vitest";
import type { Inbox } from "../../../store/inbox/inbox.ts";
import { openSqliteInbox } from "../../../store/inbox/sqlite/open.ts";
import { batchOf, indexesOf } from "../../conformance/inbox/batches.ts";
import { mountSmallDisk } from "./small-disk.ts";

const mib = 1_048_576;
const body = Buffer.alloc(50_000, " ");
const element = { index: 0, pushId: "p", start: 0, end: 9, receiptStart: 1, receiptEnd: 8 };
const batch = batchOf([], { body, elements: [element] });
const lease = { target: "t", maxElements: 1000, leaseMs: 60_000 };

/** Accepts until one batch is refused; resolves to how many were stored and what refused. */
async function acceptUntilRefused(inbox: Inbox): Promise<{ stored: number; error: Error }> {
  for (let stored = 0; ; stored++) {
    const error = await inbox.accept(batch).then(
      () => null,
      (refusal: Error) => refusal,
    );
    if (error !== null) return { stored, error };
  }
}

async function deliverAll(inbox: Inbox): Promise<number> {
  const { items } = await inbox.lease({ ...lease, maxBytes: 1_000_000_000 });
  for (const item of items) {
    await inbox.settle(
      item.token,
      indexesOf(item).map((index) => ({ index, kind: "done" })),
    );
  }
  return items.length;
}

it("stops at the mark before the disk is full, and starts again when delivered batches are pruned", async () => {
  using disk = mountSmallDisk(32 * mib);
  let nowMs = 1_700_000_000_000;
  const options = {
    minFreeBytes: 8 * mib,
    reserveBytes: mib,
    maxWalBytes: 2 * mib,
    retention: { finishedMs: 0 },
  };
  const path = join(disk.path, "inbox.db");
  await using inbox = await openSqliteInbox({ ...options, path, now: () => nowMs });
  const { stored, error } = await acceptUntilRefused(inbox);
  expect(error.name).toBe("InboxFullError");
  expect(stored).toBeGreaterThan(50);
  expect(await inbox.counts({ recount: true })).toMatchObject([{ accepted: stored, pending: stored }]);
  expect(await deliverAll(inbox)).toBe(stored);
  nowMs += 1;
  for (let i = 0; i < 20; i++) await inbox.prune();
  // The free space is measured ten times a second.
  await vi.waitFor(async () => expect(await inbox.accept(batch)).toMatchObject({ kind: "stored" }));
});

it("has stored what it has accepted on a disk that is really full, delivers it, and recovers", async () => {
  using disk = mountSmallDisk(16 * mib);
  let nowMs = 1_700_000_000_000;
  const options = { minFreeBytes: 0, reserveBytes: 2 * mib, maxWalBytes: mib, retention: { finishedMs: 0 } };
  const path = join(disk.path, "inbox.db");
  await using inbox = await openSqliteInbox({
    ...options,
    path,
    now: () => nowMs,
    freeBytes: () => 1000 * mib,
  });
  const { stored, error } = await acceptUntilRefused(inbox);
  expect(error.name).toBe("InboxUnavailableError");
  expect(error.message).toContain("disk full");
  expect(await inbox.health()).toMatchObject({ writable: false, reason: error.message });
  expect(stored).toBeGreaterThan(20);
  expect(await inbox.counts({ recount: true })).toMatchObject([{ accepted: stored, pending: stored }]);
  expect(await deliverAll(inbox)).toBe(stored);
  nowMs += 1;
  for (let i = 0; i < 20; i++) await inbox.prune();
  expect(await inbox.accept(batch)).toMatchObject({ kind: "stored" });
  expect(await inbox.health()).toMatchObject({ writable: true, reason: null });
  expect(await inbox.counts({ recount: true })).toMatchObject([
    { accepted: stored + 1, delivered: stored, pending: 1 },
  ]);
});

it("loses nothing when another program fills the disk, and recovers when that is gone", async () => {
  using disk = mountSmallDisk(32 * mib);
  const options = { minFreeBytes: 0, reserveBytes: mib, maxWalBytes: mib, freeBytes: () => 1000 * mib };
  const path = join(disk.path, "inbox.db");
  const inbox = await openSqliteInbox({ ...options, path });
  for (let i = 0; i < 30; i++) await inbox.accept(batch);
  disk.fill();
  const { stored, error } = await acceptUntilRefused(inbox);
  expect(error.name).toBe("InboxUnavailableError");
  expect(await deliverAll(inbox)).toBe(30 + stored);
  disk.free();
  expect(await inbox.accept(batch)).toMatchObject({ kind: "stored" });
  await inbox[Symbol.asyncDispose]();
  await using again = await openSqliteInbox({ ...options, path, checkAtOpen: true });
  expect(await again.counts({ recount: true })).toMatchObject([
    { accepted: 31 + stored, delivered: 30 + stored, pending: 1 },
  ]);
});

it("refuses a file on a read-only disk", async () => {
  using disk = mountSmallDisk(mib);
  execFileSync("mount", ["-o", "remount,ro", disk.path]);
  const path = join(disk.path, "inbox.db");
  await expect(openSqliteInbox({ path, minFreeBytes: 0, reserveBytes: 0 })).rejects.toMatchObject({
    name: "InboxOpenError",
    message: expect.stringContaining(`inbox file "${path}" can't be opened`),
  });
});

it("says so when writes fail, and goes on when they no longer do", async () => {
  using disk = mountSmallDisk(64 * mib);
  const path = join(disk.path, "inbox.db");
  const script = join(import.meta.dirname, "../../store/inbox/sqlite/accept-loop.ts");
  const child = spawn(process.execPath, [script, path, "run"], { stdio: ["ignore", "pipe", "inherit"] });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  const limit = (bytes: string): void => {
    execFileSync("prlimit", ["--pid", `${child.pid}`, `--fsize=${bytes}:unlimited`]);
  };
  const stored = (): string[] => said.filter((line) => line.startsWith("run-"));
  await vi.waitUntil(() => stored().length > 20, { timeout: 60_000 });
  // Beyond this size of a file each write fails, with another error than on a full disk.
  limit("100000");
  await vi.waitUntil(() => said.some((line) => !line.startsWith("run-")), { timeout: 60_000 });
  const before = stored().length;
  limit("unlimited");
  await vi.waitUntil(() => stored().length > before + 20, { timeout: 60_000 });
  child.kill("SIGKILL");
  await once(child, "close");
  const refusals = said.filter((line) => !line.startsWith("run-"));
  expect(refusals.filter((line) => !line.startsWith("InboxUnavailableError: inbox file"))).toEqual([]);
  await using inbox = await openSqliteInbox({ path, minFreeBytes: 0, reserveBytes: 0, checkAtOpen: true });
  const [books] = await inbox.counts({ recount: true });
  // Three senders: what they had not been answered when the process was killed may be stored too.
  expect(books!.accepted / 20).toBeGreaterThanOrEqual(stored().length);
  expect(books!.accepted / 20).toBeLessThanOrEqual(stored().length + refusals.length + 3);
});

it("says which folder can't be written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "readonly-"));
  chmodSync(folder, 0o555);
  const script = join(import.meta.dirname, "../../store/inbox/sqlite/accept-loop.ts");
  const child = spawn(process.execPath, [script, join(folder, "inbox.db"), "1"], {
    uid: 65_534,
    gid: 65_534,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const parts: Buffer[] = [];
  child.stderr!.on("data", (part: Buffer) => parts.push(part));
  const [code] = await once(child, "close");
  expect(code).toBe(1);
  expect(Buffer.concat(parts).toString()).toContain(
    `inbox file "${join(folder, "inbox.db")}" can't be opened`,
  );
  rmSync(folder, { recursive: true });
});
