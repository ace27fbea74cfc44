import { join } from "node:path";
import { expect, it } from "vitest";
import { all, type Operation, run, type Session } from "../../../../store/sql/query.ts";
import { StoreDatabase } from "../../../../store/sql/sqlite/database.ts";
import { commitGroup } from "../../../../store/sql/sqlite/group-commit.ts";
import type { SqliteStore } from "../../../../store/sql/sqlite/sqlite.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

class StoreError extends Error {}

function* add(_session: Session, word: string): Operation<string> {
  yield* run("INSERT INTO {words} (word) VALUES ($1)", word);
  return word;
}

/** Fails after it has written. */
function* addAndFail(session: Session, word: string): Operation<void> {
  yield* add(session, word);
  throw new RangeError(`${word} is odd`);
}

function* list(): Operation<readonly string[]> {
  const rows = yield* all<{ word: string }>("SELECT word FROM {words} ORDER BY id");
  return rows.map(({ word }) => word);
}

const store: SqliteStore = {
  faults: {
    noun: "words",
    ifNotDurable: "",
    ifDamaged: "",
    OpenError: StoreError,
    UnavailableError: StoreError,
    FullError: StoreError,
    requestErrors: [RangeError],
  },
  operations: { add, addAndFail, list } as SqliteStore["operations"],
  applicationId: 0x57_4f_52_44,
  migrations: ["CREATE TABLE words (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL) STRICT"],
  storesData: new Set(),
  numbered: ["words"],
};

it.each([
  [
    ["add a", "add b"],
    ["a", "b"],
    ["a", "b"],
  ],
  [
    ["add a", "addAndFail b", "add c"],
    ["a", "b is odd", "c"],
    ["a", "c"],
  ],
  [["addAndFail a"], ["a is odd"], []],
  [["addAndFail a", "addAndFail b", "add c"], ["a is odd", "b is odd", "c"], ["c"]],
])("a group of %j gets %j and leaves %j", async (requests, replies, words) => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "words.db");
  using db = StoreDatabase.open(store, { path, lockWaitMs: 0, maxWalBytes: 1, checkAtOpen: false });
  const group = requests.map((request, id) => {
    const [name = "", word = ""] = request.split(" ");
    return { id, name, args: [word], nowMs: 0, bytes: 0 };
  });
  const result = commitGroup({ store, db, path }, group);
  expect(result.failure).toBeUndefined();
  expect(
    result.replies.map(({ id, ...reply }) => [id, "error" in reply ? reply.error.message : reply.value]),
  ).toEqual(replies.map((reply, id) => [id, reply]));
  expect(db.isTransaction).toBe(false);
  expect(db.run(list())).toEqual(words);
});
