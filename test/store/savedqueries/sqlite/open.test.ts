import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SavedQueriesFullError, SavedQueriesOpenError } from "../../../../store/savedqueries/savedqueries.ts";
import { openSqliteSavedQueries } from "../../../../store/savedqueries/sqlite/open.ts";
import { describeSavedQueries, query } from "../../../conformance/savedqueries.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

describeSavedQueries("saved queries in a file", async () => {
  const folder = await openTempFolder();
  const path = join(folder.path, "saved.db");
  return {
    open: (now) => openSqliteSavedQueries({ path, minFreeBytes: 0, now }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});

it("belong to one process", async () => {
  await using folder = await openTempFolder();
  const options = { path: join(folder.path, "saved.db"), lockWaitMs: 10 };
  await using _first = await openSqliteSavedQueries(options);
  await expect(openSqliteSavedQueries(options)).rejects.toThrow(SavedQueriesOpenError);
});

it("are not opened from another kind of file", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "saved.db");
  writeFileSync(path, "not a database".repeat(1_000));
  await expect(openSqliteSavedQueries({ path })).rejects.toThrow(SavedQueriesOpenError);
});

it("are refused when space is short, and deleted to get some", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "saved.db");
  const before = await openSqliteSavedQueries({ path, minFreeBytes: 0 });
  await before.create(query("a"));
  await before[Symbol.asyncDispose]();
  await using store = await openSqliteSavedQueries({ path, minFreeBytes: 1_000, freeBytes: () => 999 });
  await expect(store.create(query("b"))).rejects.toThrow(SavedQueriesFullError);
  expect(await store.delete(1, "q1", 1)).toBe("deleted");
});
