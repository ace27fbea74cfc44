import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { type ChannelStore, ChannelsOpenError } from "../../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../../store/channels/sqlite/open.ts";
import {
  batchOf,
  beginRun,
  leaseAll,
  noCounts,
  preparedRun,
  type Running,
  retryAfter,
  succeeded,
  text,
} from "../../../conformance/channels/store.ts";
import { pruneAll } from "../../../conformance/channels/upkeep.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

const held: DatabaseSync[] = [];

it.each<[string, string, (path: string) => void]>([
  [
    "in use by another process",
    "is in use by another process",
    (path) => {
      const other = new DatabaseSync(path);
      // One that nothing refers to may be collected, and its lock with it.
      held.push(other);
      other.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b)");
    },
  ],
  [
    "of another application",
    "is a SQLite database of another application",
    (path) => new DatabaseSync(path).exec("CREATE TABLE a (b)"),
  ],
  ["damaged", "is damaged or not a SQLite database", (path) => writeFileSync(path, "x".repeat(10_000))],
  [
    "newer",
    "has version 99, newer than 6",
    (path) =>
      new DatabaseSync(path).exec(`PRAGMA application_id = ${0x43_48_4e_4c}; PRAGMA user_version = 99`),
  ],
])("refuses a file that is %s", async (_what, message, prepare) => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  prepare(path);
  const opening = openSqliteChannels({ path, lockWaitMs: 50 });
  await expect(opening).rejects.toThrow(ChannelsOpenError);
  await expect(opening).rejects.toThrow(message);
});

it("opens where the process id can't be written", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  mkdirSync(`${path}.pid`);
  await using store = await openSqliteChannels({ path });
  await expect(store.check()).resolves.toBeUndefined();
});

it("takes over at once what a previous process was sending and preparing", async () => {
  await using folder = await openTempFolder();
  const options = { path: join(folder.path, "new", "channels.db"), now: () => 1_700_000_000_000 };
  const first = await openSqliteChannels(options);
  const { channelId } = await preparedRun(first, [["a"]]);
  const [before] = await leaseAll(first, channelId);
  expect(await first.beginBatches([before!.token])).toEqual([]);
  await first[Symbol.asyncDispose]();
  await using second = await openSqliteChannels(options);
  const [after] = await leaseAll(second, channelId);
  expect(after).toMatchObject({ requestId: before!.requestId, attempts: 2, retries: 0 });
  expect(await second.extendBatches([before!.token], 1_000)).toEqual([before!.token]);
});

it("migrates a file of the first version, and sends its batches with their bodies", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  const first = await openSqliteChannels({ path });
  const { channelId } = await preparedRun(first, [["a"]]);
  await first[Symbol.asyncDispose]();
  const file = new DatabaseSync(path);
  file.exec(
    "DROP TABLE pages; ALTER TABLE batches DROP COLUMN batch_count; ALTER TABLE batches DROP COLUMN progress; ALTER TABLE batches DROP COLUMN is_begun; ALTER TABLE runs DROP COLUMN trace; DROP TABLE shares; DROP TABLE clock; INSERT INTO bodies SELECT * FROM payloads; DROP TABLE payloads; PRAGMA user_version = 1",
  );
  file.close();
  const second = await openSqliteChannels({ path });
  const [batch, ...others] = await leaseAll(second, channelId);
  expect([batch, others]).toMatchObject([{ size: 1, attempts: 1 }, []]);
  expect(text(batch!.readPayload())).toBe('[{"push_id":"a"}]');
  await second.settleBatches([{ token: batch!.token, outcome: succeeded }]);
  const asked = { channelId, perSecond: 10, held: 0, wanted: 10, leaseMs: 10_000 };
  expect(await second.shareRate(asked)).toMatchObject({ held: 10 });
  await second[Symbol.asyncDispose]();
  const left = new DatabaseSync(path);
  expect(left.prepare("SELECT number FROM bodies").all()).toEqual([]);
  left.close();
});

async function settleAll(store: ChannelStore, { channelId }: Running): Promise<void> {
  const leased = await leaseAll(store, channelId);
  await store.settleBatches(leased.map(({ token }) => ({ token, outcome: succeeded })));
}

async function cancel(store: ChannelStore, { taskId }: Running): Promise<void> {
  await store.cancelTask(taskId);
  await pruneAll(store);
}

it.each([
  ["settled", settleAll],
  ["cancelled", cancel],
])("keeps no payloads of a run that is %s, and no bodies of earlier versions", async (_how, end) => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  const first = await openSqliteChannels({ path });
  const running = await preparedRun(first, [["a"], ["b", "c"]]);
  await first[Symbol.asyncDispose]();
  const file = new DatabaseSync(path);
  file.exec("INSERT INTO bodies SELECT * FROM payloads WHERE number = 1");
  file.close();
  const second = await openSqliteChannels({ path });
  await end(second, running);
  await second[Symbol.asyncDispose]();
  using left = new DatabaseSync(path);
  const stored = left.prepare("SELECT number FROM payloads UNION ALL SELECT number FROM bodies").all();
  expect(stored).toEqual([]);
});

it.each([
  ["settled", settleAll],
  ["cancelled", cancel],
])("keeps no payloads of pages of a run that is %s", async (_how, end) => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  const store = await openSqliteChannels({ path });
  await end(store, await preparedRun(store, [["a"], ["b"], ["c"]]));
  await store[Symbol.asyncDispose]();
  using left = new DatabaseSync(path);
  const stored = left.prepare("SELECT payload FROM pages UNION ALL SELECT payload FROM payloads").all();
  expect(stored).toMatchObject([{ payload: null }]);
});

/** Pages of two batches each of a run that then fails. */
async function failWithPages(store: ChannelStore, pages: number): Promise<Running> {
  const running = await beginRun(store);
  const { token } = running.preparation;
  const batches = [["a"], ["b"]].map(batchOf);
  for (let page = 0; page < pages; page++) {
    const append = { cursor: "", counted: noCounts, resumeData: null, isLast: false };
    await store.appendBatches(token, { ...append, afterNumber: 2 * page, batches });
  }
  await store.failRun(token, "no recipients");
  return running;
}

it("deletes the pages of a failed run, some at a time", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  let nowMs = 1_700_000_000_000;
  const options = { path, now: () => nowMs, leaseNow: () => nowMs, retentionMs: () => 1_000 };
  const countPages = async (condition: string) => {
    using file = new DatabaseSync(path);
    return file.prepare(`SELECT count(*) AS pages FROM pages WHERE ${condition}`).get();
  };
  const first = await openSqliteChannels(options);
  const { taskId } = await failWithPages(first, 110);
  expect(await first.prune()).toEqual({ batches: 0, runs: 0, more: true });
  await first[Symbol.asyncDispose]();
  expect(await countPages("payload IS NOT NULL")).toEqual({ pages: 85 });
  const second = await openSqliteChannels(options);
  await second.startRun(taskId, { day: "2023-11-14" });
  expect(await pruneAll(second)).toEqual({ batches: 0, runs: 0 });
  nowMs += 1_001;
  expect(await second.prune()).toEqual({ batches: 0, runs: 0, more: true });
  await second[Symbol.asyncDispose]();
  expect(await countPages("true")).toEqual({ pages: 10 });
  await using third = await openSqliteChannels(options);
  expect(await pruneAll(third)).toEqual({ batches: 220, runs: 1 });
});

/** Makes a file without pages one of version 5. */
const dropPages =
  "DROP TABLE pages; ALTER TABLE batches DROP COLUMN batch_count; ALTER TABLE batches DROP COLUMN progress; PRAGMA user_version = 5";

it("migrates a file of version 5, and continues the run that it was sending and preparing", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  const first = await openSqliteChannels({ path });
  const { channelId, run, preparation } = await beginRun(first);
  const append = { cursor: "", counted: noCounts, resumeData: null };
  const before = [["a"], ["b", "c"], ["d"]].map(batchOf);
  await first.appendBatches(preparation.token, { ...append, afterNumber: 0, batches: before, isLast: false });
  const [a, b] = await leaseAll(first, channelId);
  await first.beginBatches([a!.token, b!.token]);
  await first.settleBatches([{ token: a!.token, outcome: succeeded }]);
  await first[Symbol.asyncDispose]();
  const file = new DatabaseSync(path);
  file.exec(dropPages);
  file.close();
  await using second = await openSqliteChannels({ path });
  const { token } = (await second.leasePreparation("two", 1_000))!;
  const after = [["e"], ["f"]].map(batchOf);
  await second.appendBatches(token, { ...append, afterNumber: 3, batches: after, isLast: true });
  const held = await leaseAll(second, channelId);
  expect(held.map(({ number, attempts }) => [number, attempts])).toEqual([
    [1, 2],
    [2, 1],
    [3, 1],
    [4, 1],
  ]);
  await second.settleBatches(held.map((batch) => ({ token: batch.token, outcome: succeeded })));
  expect(await second.run(run.runId)).toMatchObject({ state: "done", batches: 5 });
  expect(await second.statistics(run.runId)).toMatchObject({ settledBatches: 5, succeeded: 6, retried: 1 });
});

it.each<[string, passedMs: number, waitMs: number]>([
  ["at once", 0, 1_200],
  ["in the next second", 700, 500],
  ["later", 1_200, 0],
  ["with a clock that was set back", -3_600_000, 1_200],
])("counts a share from the last call of the process before: opened %s", async (_when, passedMs, waitMs) => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  let nowMs = 1_700_000_000_000;
  const open = () => openSqliteChannels({ path, leaseNow: () => nowMs });
  const first = await open();
  const { channelId } = await preparedRun(first, [["a"]]);
  const asked = { channelId, perSecond: 10, held: 0, wanted: 10, leaseMs: 10_000 };
  await first.shareRate(asked);
  nowMs += 5_000;
  const [batch] = await leaseAll(first, channelId);
  await first.beginBatches([batch!.token]);
  await first[Symbol.asyncDispose]();
  nowMs += passedMs;
  await using second = await open();
  const { token, freeInMs = 0 } = await second.shareRate(asked);
  expect(freeInMs).toBe(waitMs);
  nowMs += waitMs;
  expect(await second.shareRate({ ...asked, token })).toMatchObject({ held: 10, freeInMs: undefined });
});

it("ignores a previous process's share which was released or never used", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  const asked = { perSecond: 10, held: 0, wanted: 10, leaseMs: 10_000 };
  const first = await openSqliteChannels({ path });
  const left = await first.shareRate({ ...asked, channelId: "c1" });
  await first.leaveRate("c1", left.token, 0);
  await first.shareRate({ ...asked, channelId: "c2" });
  await first[Symbol.asyncDispose]();
  await using second = await openSqliteChannels({ path });
  for (const channelId of ["c1", "c2"]) {
    expect(await second.shareRate({ ...asked, channelId })).toMatchObject({ held: 10 });
  }
});

it("continues with the time of the previous process, whatever its clock is set to", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  const first = await openSqliteChannels({ path });
  const { channelId } = await preparedRun(first, [["a"]]);
  const [batch] = await leaseAll(first, channelId);
  await first.settleBatches([{ token: batch!.token, outcome: retryAfter(300_000) }]);
  await first[Symbol.asyncDispose]();
  for (const setMs of [-3_600_000, 3_600_000]) {
    await using second = await openSqliteChannels({ path, now: () => Date.now() + setMs });
    const [{ dueInMs } = { dueInMs: 0 }] = await second.busyChannels();
    expect(dueInMs).toBeGreaterThan(200_000);
    expect(dueInMs).toBeLessThanOrEqual(300_000);
  }
});
