import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderId } from "../../../../cmd/serve/data/folder-id.ts";
import { folderWith } from "../../config/load.ts";

test("a folder has one random id, also after a crash that left its file empty", () => {
  const folder = join(folderWith({}), "events");
  const file = join(folder, "move.id");
  const id = folderId(file);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(folderId(file)).toBe(id);
  expect([readdirSync(folder), statSync(file).mode & 0o777]).toEqual([["move.id"], 0o600]);
  writeFileSync(file, "");
  expect(folderId(file)).toMatch(/^[0-9a-f-]{36}$/);
});

test("a file that cannot be written is named", () => {
  const file = join(folderWith({ events: "" }), "events", "move.id");
  expect(() => folderId(file)).toThrow(`cannot write ${JSON.stringify(file)}: `);
});
