import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { encodeElements } from "../../../../store/inbox/element-list.ts";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { inboxStore } from "../../../../store/inbox/sqlite/store.ts";
import { batchOf, indexesOf, text } from "../../../conformance/inbox/batches.ts";
import { openTempFolder } from "../temp-folder.ts";

/** A file as the first version has left it: one batch is leased for the first time, and one element is dead. */
function writeFirstVersion(path: string): void {
  const { body, elements } = batchOf(["a", "b"]);
  const key = createHash("sha256").update('id "r1"').digest();
  const db = new DatabaseSync(path);
  db.exec(inboxStore.migrations[0]!);
  db.exec(`PRAGMA application_id = ${inboxStore.applicationId}; PRAGMA user_version = 1`);
  db.exec(`INSERT INTO batches VALUES (1, 'c', '"r1"', NULL, 1000, NULL, NULL, '[["t","0-1",0]]');
    INSERT INTO work VALUES (1, 1, 'c', 't', '0', 1, 1, 9000000000000, 1, 77, NULL, 0, NULL, 100);
    INSERT INTO dead VALUES (1, 1, 1, 'c', 't', '"b"', 'no', 3, 1000, 2000);
    INSERT INTO books VALUES ('c', 't', 0, 2, 0, 1, 1)`);
  db.prepare("INSERT INTO bodies VALUES (1, ?, ?)").run(encodeElements(elements), body);
  db.prepare("INSERT INTO claims VALUES ('c', ?, ?, ?, 1, 1000, 1000, 9000000000000)").run(
    key,
    createHash("sha256").update(body).digest(),
    Buffer.from("first reply"),
  );
  db.close();
}

it("takes over the data of the first version", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  writeFirstVersion(path);
  await using inbox = await openSqliteInbox({ path, reserveBytes: 0, minFreeBytes: 0, now: () => 5_000 });
  const { items } = await inbox.lease({ target: "t", maxElements: 10, leaseMs: 1_000 });
  expect(
    items.map((item) => [item.attempt, item.isSuspect, item.acceptedClockMs, ...indexesOf(item)]),
  ).toEqual([[1, true, 1_000, 0]]);
  expect(await inbox.counts({ recount: true })).toMatchObject([{ accepted: 2, dead: 1, pending: 1 }]);
  expect((await inbox.deadLetters({}, { limit: 9 })).items).toMatchObject([{ diedAtMs: 2_000, attempts: 3 }]);
  const repeat = await inbox.accept(batchOf(["a", "b"], { requestId: "r1" }));
  expect(text((repeat as { reply: Uint8Array }).reply)).toBe("first reply");
});

it("leases again at once what the previous process held, except leases of consumers", async () => {
  await using folder = await openTempFolder();
  const options = { path: join(folder.path, "inbox.db"), reserveBytes: 0, minFreeBytes: 0 };
  const routes = ["t", "pulled"].map((target) => ({ target, indexes: "all" as const }));
  const lease = { target: "t", maxElements: 10, leaseMs: 60_000 };
  const before = await openSqliteInbox(options);
  await before.accept(batchOf(["a", "b"], { routes }));
  const { token } = (await before.lease(lease)).items[0]!;
  await before.begin([{ token, indexes: [1] }]);
  await before.lease({ ...lease, target: "pulled", holder: "consumer" });
  await before[Symbol.asyncDispose]();
  await using after = await openSqliteInbox(options);
  const { items } = await after.lease(lease);
  expect(items.map((item) => [item.attempt, ...indexesOf(item)]).toSorted()).toEqual([
    [1, 0],
    [2, 1],
  ]);
  expect((await after.lease({ ...lease, target: "pulled" })).items).toEqual([]);
});
