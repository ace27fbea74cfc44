import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockFolder } from "../../../../cmd/serve/data/lock.ts";
import { UserError } from "../../../../cmd/terminal/user-error.ts";
import { folderWith } from "../../config/load.ts";

it("frees the folder when it is disposed of", () => {
  const folder = folderWith({});
  const lock = lockFolder(folder);
  expect(() => lockFolder(folder, 0)).toThrow(UserError);
  lock[Symbol.dispose]();
  expect(() => lockFolder(folder)[Symbol.dispose]()).not.toThrow();
});

it("names the folder and the process that holds its lock", () => {
  const folder = folderWith({});
  using _lock = lockFolder(folder);
  expect(() => lockFolder(folder, 0)).toThrow(`data folder "${folder}" is in use by process ${process.pid}`);
  expect(() => lockFolder(folder, 0)).toThrow(UserError);
});

it("reports why a folder cannot be locked at all", () => {
  const folder = folderWith({ lock: "x" });
  writeFileSync(join(folder, "lock"), "no database, but some text that is long enough".repeat(100));
  expect(() => lockFolder(folder, 0)).toThrow("file is not a database");
});
