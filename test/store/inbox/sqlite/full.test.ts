import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";
import { openTempFolder } from "../temp-folder.ts";

const mib = 1_048_576;
const lease = { target: "t", maxElements: 100, leaseMs: 60_000 };

/** A disk that can be filled and freed. */
class Disk {
  freeBytes = 1000 * mib;
  readonly askedFor: string[] = [];
  readonly free = (path: string): number => {
    this.askedFor.push(path);
    return this.freeBytes;
  };
}

it("refuses batches below the minimum of free space, continues the rest, and recovers", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const disk = new Disk();
  const options = { path, freeBytes: disk.free, minFreeBytes: 100 * mib, maxWalBytes: mib, reserveBytes: 0 };
  await using inbox = await openSqliteInbox(options);
  await inbox.accept(batchOf(["a", "b"]));
  disk.freeBytes = 100 * mib;
  const full = await inbox.health();
  expect(full).toMatchObject({ writable: false, freeBytes: 100 * mib });
  expect(full.reason).toContain(`at least ${100 * mib} must stay`);
  await expect(inbox.accept(batchOf(["c"]))).rejects.toMatchObject({ name: "InboxFullError" });
  const { items } = await inbox.lease(lease);
  expect(await inbox.settle(items[0]!.token, [{ index: 0, kind: "dead", reason: "no" }])).toMatchObject({
    kind: "settled",
  });
  expect(await inbox.replay({}, { nonce: "n" })).toEqual({ count: 1 });
  expect(await inbox.prune()).toMatchObject({ more: false });
  disk.freeBytes = 110 * mib;
  expect(await inbox.health()).toMatchObject({ writable: true, reason: null });
  expect(await inbox.accept(batchOf(["c"]))).toMatchObject({ kind: "stored" });
  expect(await inbox.counts({ recount: true })).toMatchObject([{ accepted: 3, pending: 3 }]);
  expect(new Set(disk.askedFor)).toEqual(new Set([path]));
});

it("is unavailable while the free space of its disk is unknown, and recovers", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const disk = { ask: () => 1000 * mib };
  await using inbox = await openSqliteInbox({ path, freeBytes: () => disk.ask(), reserveBytes: 0 });
  await inbox.accept(batchOf(["a"]));
  disk.ask = () => {
    throw new Error("ENOENT: no such file or directory");
  };
  expect(await inbox.health()).toMatchObject({ writable: false });
  await expect(inbox.accept(batchOf(["b"]))).rejects.toMatchObject({ name: "InboxUnavailableError" });
  disk.ask = () => 1000 * mib;
  expect(await inbox.health()).toMatchObject({ writable: true });
  expect(await inbox.accept(batchOf(["b"]))).toMatchObject({ kind: "stored" });
  expect(await inbox.counts({ recount: true })).toMatchObject([{ accepted: 2 }]);
});

it("estimates free space between measurements", async () => {
  await using folder = await openTempFolder();
  const disk = new Disk();
  disk.freeBytes = 20 * mib;
  const options = { freeBytes: disk.free, minFreeBytes: mib, maxWalBytes: mib, reserveBytes: 0 };
  await using inbox = await openSqliteInbox({ ...options, path: join(folder.path, "inbox.db") });
  const body = randomBytes(mib);
  const element = { index: 0, pushId: "p", start: 0, end: 9, receiptStart: 1, receiptEnd: 8 };
  const sent = Array.from({ length: 20 }, () => inbox.accept(batchOf([], { body, elements: [element] })));
  const results = await Promise.allSettled(sent);
  const stored = results.filter(({ status }) => status === "fulfilled").length;
  expect(stored).toBeGreaterThan(1);
  expect(stored).toBeLessThan(10);
  expect(await inbox.counts({ recount: true })).toMatchObject([{ accepted: stored, pending: stored }]);
});

it("refuses batches beyond its own limit until there is space again", async () => {
  await using folder = await openTempFolder();
  let nowMs = 1_700_000_000_000;
  const options = { maxBytes: 4 * mib, minFreeBytes: 0, reserveBytes: 0, maxWalBytes: mib };
  const retention = { finishedMs: 10 };
  await using inbox = await openSqliteInbox({
    ...options,
    retention,
    now: () => nowMs,
    path: join(folder.path, "inbox.db"),
  });
  const body = randomBytes(mib);
  const element = { index: 0, pushId: "p", start: 0, end: 9, receiptStart: 1, receiptEnd: 8 };
  const accept = () => inbox.accept(batchOf([], { body, elements: [element] }));
  await accept();
  await accept();
  await accept();
  await expect(accept()).rejects.toThrow(`at most ${4 * mib} are allowed`);
  const { items } = await inbox.lease(lease);
  for (const item of items) await inbox.settle(item.token, [{ index: 0, kind: "done" }]);
  nowMs += 11;
  expect(await inbox.prune()).toMatchObject({ batches: 3 });
  expect(await accept()).toMatchObject({ kind: "stored" });
});

it("returns space to the disk when most of the file is unused", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  let nowMs = 1_700_000_000_000;
  const options = { path, minFreeBytes: 0, reserveBytes: 0, maxWalBytes: mib, retention: { finishedMs: 10 } };
  const inbox = await openSqliteInbox({ ...options, now: () => nowMs });
  const body = Buffer.alloc(2 * mib, " ");
  for (let i = 0; i < 10; i++) await inbox.accept(batchOf([], { body }));
  nowMs += 11;
  await inbox.prune();
  for (let i = 0; i < 5; i++) await inbox.prune();
  await inbox[Symbol.asyncDispose]();
  expect(statSync(path).size).toBeLessThan(2 * mib);
});

it("keeps a reserve on the disk", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  await using _inbox = await openSqliteInbox({ path, minFreeBytes: 0, reserveBytes: 3 * mib });
  expect(statSync(`${path}.reserve`).size).toBe(3 * mib);
});

it("refuses more bytes than may wait to be written", async () => {
  await using folder = await openTempFolder();
  const options = { minFreeBytes: 0, reserveBytes: 0, maxQueuedBytes: 5 * mib };
  await using inbox = await openSqliteInbox({ ...options, path: join(folder.path, "inbox.db") });
  const body = randomBytes(mib);
  const sent = Array.from({ length: 20 }, () => inbox.accept(batchOf([], { body })));
  const results = await Promise.allSettled(sent);
  const refused = results.filter((result) => result.status === "rejected");
  expect(refused).toHaveLength(15);
  expect(refused[0]).toMatchObject({ reason: { name: "InboxUnavailableError" } });
  expect(await inbox.accept(batchOf([], { body }))).toMatchObject({ kind: "stored" });
});

it("keeps its log short under a steady load", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  await using inbox = await openSqliteInbox({ path, minFreeBytes: 0, reserveBytes: 0, maxWalBytes: mib });
  const body = randomBytes(mib / 4);
  const sizes: number[] = [];
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 8 }, () => inbox.accept(batchOf([], { body }))));
    sizes.push(statSync(`${path}-wal`).size);
  }
  expect(Math.max(...sizes)).toBeLessThan(3 * mib + body.length);
});

it("rejects an argument which can't be cloned, and continues", async () => {
  await using folder = await openTempFolder();
  const options = { path: join(folder.path, "inbox.db"), minFreeBytes: 0, reserveBytes: 0 };
  await using inbox = await openSqliteInbox(options);
  await inbox.accept(batchOf(["a"]));
  const { token } = (await inbox.lease(lease)).items[0]!;
  const reason = (() => "no") as unknown as string;
  await expect(inbox.settle(token, [{ index: 0, kind: "dead", reason }])).rejects.toThrow(
    "could not be cloned",
  );
  expect(await inbox.settle(token, [{ index: 0, kind: "done" }])).toMatchObject({ kind: "settled" });
});
