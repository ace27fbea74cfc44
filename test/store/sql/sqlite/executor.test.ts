import { join } from "node:path";
import type { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { PostgresInboxExecutor } from "../../../../store/inbox/postgres/executor.ts";
import { inboxStore } from "../../../../store/inbox/sqlite/store.ts";
import { DiskGuard } from "../../../../store/sql/sqlite/disk-guard.ts";
import { SqliteExecutor } from "../../../../store/sql/sqlite/executor.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

const reason = new Error("enough");

/** @param code of the thread */
function sqliteExecutor(folder: string, code: string) {
  const path = join(folder, "inbox.db");
  const { faults } = inboxStore;
  const guard = new DiskGuard({ path, faults, maxWalBytes: 1, minFreeBytes: 0, maxBytes: null });
  const setup = { path, maxWalBytes: 1, lockWaitMs: 0, checkAtOpen: false, lingerMs: 0, reserveBytes: 0 };
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  return new SqliteExecutor(inboxStore, { module: { url, name: "test" }, setup }, guard);
}

/** A pool that only counts who asks it for a connection. */
function countingPool() {
  const state = { asked: 0 };
  const connect = () => {
    state.asked++;
    return Promise.reject(new Error("there is no server"));
  };
  return { state, pool: { connect, waitingCount: 0, end: async () => {} } as unknown as Pool };
}

describe("a call whose signal is aborted already", () => {
  it("starts no thread of SQLite", async () => {
    await using folder = await openTempFolder();
    // Whatever were asked of this one would stay without an answer.
    await using executor = sqliteExecutor(folder.path, "setInterval(() => {}, 1000)");
    const call = executor.call("counts", 0, [false], AbortSignal.abort(reason));
    await expect(call).rejects.toBe(reason);
  });

  it("takes no connection to PostgreSQL", async () => {
    const { state, pool } = countingPool();
    await using executor = new PostgresInboxExecutor(pool, {
      schema: "public",
      maxWaiting: 1,
      maxBytes: null,
    });
    await expect(executor.call("counts", 0, [false], AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(state.asked).toBe(0);
  });
});

describe("a thread of SQLite that does not open its file", () => {
  it.each([
    ["ends without a word", "", "inbox thread ended before it opened the file"],
    ["fails", 'throw new Error("no room")', "inbox thread failed: no room"],
  ])("and %s is reported", async (_what, code, message) => {
    await using folder = await openTempFolder();
    await using executor = sqliteExecutor(folder.path, code);
    const opening = executor.open();
    await expect(opening).rejects.toThrow(inboxStore.faults.OpenError);
    await expect(opening).rejects.toThrow(message);
  });
});
