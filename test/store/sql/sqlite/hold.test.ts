import { copyFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFileHolds } from "../../../../base/files/file-holds.ts";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

// The log is so small that commits would move it into the file.
const small = { reserveBytes: 0, minFreeBytes: 0, maxWalBytes: 16_384 };

/** Accepts batches whose numbers begin at `from`. */
async function acceptAll(
  inbox: Awaited<ReturnType<typeof openSqliteInbox>>,
  from: number,
  count: number,
): Promise<void> {
  for (let at = from; at < from + count; at++) {
    await inbox.accept(batchOf(["x".repeat(5_000)], { requestId: `r${at}` }));
  }
}

it("keeps the file as it is while commits go on, and a copy of both has what was acknowledged before", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const copy = join(folder.path, "copy.db");
  const holds = createFileHolds();
  await using inbox = await openSqliteInbox({ path, ...small, holds });
  await acceptAll(inbox, 0, 20);
  const release = await holds.hold();
  const before = readFileSync(path);
  copyFileSync(path, copy);
  await acceptAll(inbox, 20, 20);
  expect(readFileSync(path).equals(before)).toBe(true);
  // A copy of a log that grows ends anywhere.
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  const grown = statSync(`${path}-wal`).size;
  expect(grown).toBeGreaterThan(20 * 5_000);
  await release();
  await acceptAll(inbox, 40, 20);
  expect(readFileSync(path).equals(before)).toBe(false);
  await using copied = await openSqliteInbox({ path: copy, ...small, checkAtOpen: true });
  const found = await copied.batches({}, { limit: 1_000 });
  expect(found.items.map(({ requestId }) => requestId).toSorted()).toEqual(
    Array.from({ length: 40 }, (_, at) => `r${at}`).toSorted(),
  );
});

it("ends when the thread of the file has ended", async () => {
  await using folder = await openTempFolder();
  const holds = createFileHolds();
  const inbox = await openSqliteInbox({ path: join(folder.path, "inbox.db"), ...small, holds });
  const release = await holds.hold();
  await inbox[Symbol.asyncDispose]();
  await release();
  await (await holds.hold())();
});
