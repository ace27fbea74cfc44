import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";
import { openTempFolder } from "../temp-folder.ts";

const small = { reserveBytes: 0, minFreeBytes: 0, lockWaitMs: 10 };

it("refuses a file that another process has, and names both", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const script = join(import.meta.dirname, "accept-loop.ts");
  const child = spawn(process.execPath, [script, path, "1"], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const opening = openSqliteInbox({ path, ...small });
  await expect(opening).rejects.toMatchObject({
    name: "InboxOpenError",
    message: `inbox file "${path}" is in use by process ${child.pid}`,
  });
  child.kill("SIGKILL");
  await once(child, "exit");
  await using inbox = await openSqliteInbox({ path, ...small });
  expect(await inbox.health()).toMatchObject({ writable: true });
});

it("refuses a file which this process already holds", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  await using _inbox = await openSqliteInbox({ path, ...small });
  await expect(openSqliteInbox({ path, ...small })).rejects.toThrow(`in use by process ${process.pid}`);
});

it("creates its folder", async () => {
  await using folder = await openTempFolder();
  await using inbox = await openSqliteInbox({ path: join(folder.path, "new/folder/inbox.db"), ...small });
  expect(await inbox.accept(batchOf(["a"]))).toMatchObject({ kind: "stored" });
});

it.each([
  ["a file that is no database", "inbox.db", writeGarbage, "is damaged"],
  ["a database of something else", "inbox.db", writeOtherDatabase, "of another application"],
  ["a newer version", "inbox.db", writeNewerVersion, "has version 1000, newer than 7"],
  ["a folder that is a file", "file/inbox.db", writeFileAsFolder, "can't be opened"],
])("refuses %s", async (_name, place, prepare, message) => {
  await using folder = await openTempFolder();
  const path = join(folder.path, place);
  prepare(path);
  await expect(openSqliteInbox({ path, ...small })).rejects.toMatchObject({
    name: "InboxOpenError",
    message: expect.stringContaining(message),
  });
  await expect(openSqliteInbox({ path, ...small })).rejects.toThrow(path);
});

it("finds damage when the check is requested", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const inbox = await openSqliteInbox({ path, ...small });
  const pushIds = Array.from({ length: 400 }, () => randomBytes(60).toString("base64"));
  await Promise.all(Array.from({ length: 20 }, () => inbox.accept(batchOf(pushIds))));
  await inbox[Symbol.asyncDispose]();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xee, 8192 * 30, 8192 * 60));
  await expect(openSqliteInbox({ path, ...small, checkAtOpen: true })).rejects.toThrow(
    `inbox file "${path}" is damaged`,
  );
});

it("completes calls made before it was closed", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const inbox = await openSqliteInbox({ path, ...small });
  const asked = Promise.all(Array.from({ length: 50 }, () => inbox.accept(batchOf(["a"]))));
  await inbox[Symbol.asyncDispose]();
  expect(new Set((await asked).map(({ batchId }) => batchId)).size).toBe(50);
  await using again = await openSqliteInbox({ path, ...small });
  expect(await again.counts()).toMatchObject([{ accepted: 50 }]);
});

function writeGarbage(path: string): void {
  writeFileSync(path, "x".repeat(8192));
}

function writeOtherDatabase(path: string): void {
  using db = new DatabaseSync(path);
  db.exec("CREATE TABLE t (x)");
}

function writeNewerVersion(path: string): void {
  using db = new DatabaseSync(path);
  db.exec(`PRAGMA application_id = ${0x49_4e_42_58}; PRAGMA user_version = 1000; CREATE TABLE t (x)`);
}

function writeFileAsFolder(path: string): void {
  writeFileSync(dirname(path), "");
}
