import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { lockFile } from "../../../../store/sql/sqlite/file.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

it("a file that is missing, cannot be opened, is no database or is locked gets no lock", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  expect(lockFile(path)).toBeUndefined();
  expect(lockFile(folder.path)).toBeUndefined();
  expect(lockFile(import.meta.filename)).toBeUndefined();
  new DatabaseSync(path).close();
  using locked = lockFile(path);
  expect(locked).toBeDefined();
  expect(lockFile(path)).toBeUndefined();
});

it("a lock ends though the file with the process id cannot be removed", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  new DatabaseSync(path).close();
  const locked = lockFile(path);
  rmSync(`${path}.pid`);
  mkdirSync(`${path}.pid`);
  locked![Symbol.dispose]();
  using again = lockFile(path);
  expect(again).toBeDefined();
});
