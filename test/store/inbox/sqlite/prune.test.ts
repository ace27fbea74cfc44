import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";
import { openTempFolder } from "../temp-folder.ts";

it("deletes large bodies whose keys are kept in several calls, and still tells them from others", async () => {
  await using folder = await openTempFolder();
  let nowMs = 1_700_000_000_000;
  await using inbox = await openSqliteInbox({
    path: join(folder.path, "inbox.db"),
    minFreeBytes: 0,
    reserveBytes: 0,
    now: () => nowMs,
    clockMs: () => nowMs,
    retention: { claimMs: 9000, finishedMs: 2000 },
  });
  const largeBatch = (requestId: string, byte: number) =>
    batchOf([], { requestId, body: Buffer.alloc(9 * 1_048_576, byte) });
  const requestIds = ["r1", "r2", "r3"];
  for (const requestId of requestIds) await inbox.accept(largeBatch(requestId, 1));
  // A batch without a body to hash does not wait.
  await inbox.accept(batchOf([]));
  nowMs += 2001;
  expect(await inbox.prune()).toMatchObject({ batches: 3, more: true });
  expect(await inbox.prune()).toMatchObject({ batches: 1, more: false });
  for (const requestId of requestIds) {
    expect(await inbox.accept(largeBatch(requestId, 1))).toMatchObject({ kind: "duplicate" });
    expect(await inbox.accept(largeBatch(requestId, 2))).toMatchObject({ kind: "conflict" });
  }
});

it("forgets a replay when its time is over, though nothing else expires", async () => {
  await using folder = await openTempFolder();
  let nowMs = 1_700_000_000_000;
  await using inbox = await openSqliteInbox({
    path: join(folder.path, "inbox.db"),
    minFreeBytes: 0,
    reserveBytes: 0,
    now: () => nowMs,
    clockMs: () => nowMs,
    retention: { deadLetterMs: 3000 },
  });
  expect(await inbox.replay({}, { nonce: "n" })).toEqual({ count: 0 });
  await inbox.prune();
  nowMs += 3001;
  await inbox.prune();
  await inbox.accept(batchOf(["a"]));
  const { items } = await inbox.lease({ target: "t", maxElements: 1, leaseMs: 60_000 });
  await inbox.settle(items[0]!.token, [{ index: 0, kind: "dead", reason: "refused" }]);
  expect(await inbox.replay({}, { nonce: "n" })).toEqual({ count: 1 });
});
