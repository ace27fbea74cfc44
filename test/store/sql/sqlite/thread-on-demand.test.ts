import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BroadcastChannel } from "node:worker_threads";
import { expect, it, onTestFinished, vi } from "vitest";
import { inboxStore } from "../../../../store/inbox/sqlite/store.ts";
import { DiskGuard } from "../../../../store/sql/sqlite/disk-guard.ts";
import { SqliteExecutor } from "../../../../store/sql/sqlite/executor.ts";
import { lockFile } from "../../../../store/sql/sqlite/file.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

/** Reports all that it receives, and does what it is told. */
const puppet = `
import { BroadcastChannel, parentPort, threadId, workerData } from "node:worker_threads";
const channel = new BroadcastChannel(workerData.path);
const report = (kind, ids) => channel.postMessage({ from: threadId, kind, ids });
channel.onmessage = ({ data: { to, send, fault, exits } }) => {
  if (to !== threadId) return;
  if (send !== undefined) parentPort.postMessage(send);
  if (fault !== undefined) throw new Error(fault);
  if (exits) process.exit();
};
parentPort.on("message", ({ kind, requests }) => report(kind, requests?.map(({ id }) => id)));
const locked = workerData.checkAtOpen ? "started to read a locked file" : "started with a locked file";
report(workerData.isLocked ? locked : "started");
`;
const url = new URL(`data:text/javascript,${encodeURIComponent(puppet)}`);

interface Report {
  readonly from: number;
  readonly kind: string;
  readonly ids?: readonly number[];
}

interface Order {
  readonly send?: object;
  readonly fault?: string;
  readonly exits?: boolean;
}

const closed: Order = { send: { kind: "closed" } };

/** An executor whose threads are played by the test. */
async function openStage() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openTempFolder());
  const path = join(folder.path, "inbox.db");
  // The file that the threads would create.
  new DatabaseSync(path).close();
  const { faults } = inboxStore;
  const guard = new DiskGuard({ path, faults, maxWalBytes: 1, minFreeBytes: 0, maxBytes: null });
  const setup = { path, maxWalBytes: 1, lockWaitMs: 0, checkAtOpen: true, lingerMs: 0, reserveBytes: 0 };
  const channel = new BroadcastChannel(path);
  opened.defer(() => channel.close());
  const reports: Report[] = [];
  const arrived = new EventTarget();
  channel.onmessage = ({ data }) => {
    reports.push(data as Report);
    arrived.dispatchEvent(new Event("report"));
  };
  const thread = { module: { url, name: "test" }, setup, quiet: { firstMs: 1, laterMs: 1 } };
  const executor = new SqliteExecutor(inboxStore, thread, guard);
  const order = (to: number, wanted: Order): void => channel.postMessage({ to, ...wanted });
  opened.defer(async () => {
    const play = ({ from, kind }: Report): void => {
      if (kind === "end" || kind === "close") order(from, { ...closed, exits: true });
    };
    channel.onmessage = ({ data }) => play(data as Report);
    reports.forEach(play);
    await executor[Symbol.asyncDispose]();
  });
  const stack = opened.move();
  return {
    path,
    executor,
    call: () => executor.call("counts", 0, [false], undefined),
    /** Returns the next report; fails if it is another one. */
    async next(kind: string): Promise<Report> {
      while (reports.length === 0) await once(arrived, "report");
      const report = reports.shift()!;
      expect(report.kind).toBe(kind);
      return report;
    },
    order,
    reply(to: number, ids: readonly number[] | undefined, value: unknown): void {
      const replies = ids!.map((id) => ({ id, value }));
      channel.postMessage({ to, send: { kind: "replies", replies, usedBytes: null } });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Opens the executor and waits until its thread is asked to end. */
async function openUntilQuiet(stage: Stage): Promise<number> {
  const opening = stage.executor.open();
  const { from } = await stage.next("started");
  stage.order(from, { send: { kind: "opened", usedBytes: 0 } });
  await opening;
  await stage.next("end");
  return from;
}

/** Ends the thread, and plays the next one up to the request that it gets. */
async function playNext(stage: Stage): Promise<Report> {
  const { from } = await stage.next("started with a locked file");
  stage.order(from, { send: { kind: "loaded" } });
  await stage.next("open");
  return await stage.next("requests");
}

it("a call while the thread ends is done by the next one, which opens the file after it", async () => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  const calls = [stage.call(), stage.call()];
  stage.order(first, closed);
  const { from, ids } = await playNext(stage);
  expect(from).not.toBe(first);
  const later = stage.call();
  stage.reply(from, ids, "counted");
  const more = await stage.next("requests");
  stage.reply(more.from, more.ids, "later");
  expect(await Promise.all([...calls, later])).toEqual(["counted", "counted", "later"]);
  stage.order(first, { exits: true });
});

it("a call after the thread has ended starts another one", async () => {
  await using stage = await openStage();
  stage.order(await openUntilQuiet(stage), { ...closed, exits: true });
  const call = stage.call();
  const { from, ids } = await playNext(stage);
  stage.reply(from, ids, "counted");
  expect(await call).toBe("counted");
});

it("a thread that needs its file still does the calls that came meanwhile", async () => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  const call = stage.call();
  stage.order(first, { send: { kind: "needed" } });
  const { from, ids } = await stage.next("requests");
  expect(from).toBe(first);
  stage.reply(from, ids, "counted");
  expect(await call).toBe("counted");
});

it.each<[string, Order]>([
  ["fails", { fault: "no room" }],
  ["exits", { exits: true }],
])("a thread that %s while it ends loses no call", async (_what, order) => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  const call = stage.call();
  stage.order(first, order);
  // Its connection has ended with it, so the file is not locked.
  const { from } = await stage.next("started");
  const { ids } = await stage.next("requests");
  stage.reply(from, ids, "counted");
  expect(await call).toBe("counted");
});

it.each<[string, Order, string]>([
  ["fails before it has the file", { fault: "no room" }, "inbox thread failed: no room"],
  ["exits before it has the file", { exits: true }, "inbox thread ended"],
  [
    "cannot open the file",
    { send: { kind: "failed", error: { kind: "unavailable", message: "in use" } } },
    "in use",
  ],
])(
  "a call whose thread %s is refused with the reason, and the next call starts another",
  async (_what, order, message) => {
    await using stage = await openStage();
    stage.order(await openUntilQuiet(stage), closed);
    const call = stage.call();
    const second = await stage.next("started with a locked file");
    stage.order(second.from, order);
    await expect(call).rejects.toThrow(new inboxStore.faults.UnavailableError(message));
    const again = stage.call();
    const { from, ids } = await playNext(stage);
    stage.reply(from, ids, "counted");
    expect(await again).toBe("counted");
  },
);

it("a call whose thread fails while it works is refused with the reason", async () => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  stage.order(first, { send: { kind: "needed" } });
  const call = stage.call();
  await stage.next("requests");
  stage.order(first, { fault: "no room" });
  await expect(call).rejects.toThrow("inbox thread failed: no room");
});

it("a stop while the thread ends waits for it, and starts none", async () => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  const closing = stage.executor[Symbol.asyncDispose]();
  stage.order(first, { ...closed, exits: true });
  await closing;
  await expect(stage.call()).rejects.toThrow("inbox is closed");
});

it("a stop after the thread has ended starts none", async () => {
  await using stage = await openStage();
  stage.order(await openUntilQuiet(stage), { ...closed, exits: true });
  await stage.executor[Symbol.asyncDispose]();
  await expect(stage.call()).rejects.toThrow("inbox is closed");
});

it("a stop while the thread ends waits for the calls before it", async () => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  const call = stage.call();
  const closing = stage.executor[Symbol.asyncDispose]();
  stage.order(first, closed);
  const { from, ids } = await playNext(stage);
  await stage.next("close");
  stage.reply(from, ids, "counted");
  stage.order(from, { exits: true });
  expect(await call).toBe("counted");
  await closing;
});

it("a stop while a thread starts waits for the calls before it", async () => {
  await using stage = await openStage();
  stage.order(await openUntilQuiet(stage), closed);
  const call = stage.call();
  const { from } = await stage.next("started with a locked file");
  const closing = stage.executor[Symbol.asyncDispose]();
  stage.order(from, { send: { kind: "loaded" } });
  await stage.next("open");
  const { ids } = await stage.next("requests");
  await stage.next("close");
  stage.reply(from, ids, "counted");
  stage.order(from, { exits: true });
  expect(await call).toBe("counted");
  await closing;
});

it("a hold while the thread ends is done by the next one", async () => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  const holding = stage.executor.hold();
  stage.order(first, { ...closed, exits: true });
  const { from } = await stage.next("started with a locked file");
  stage.order(from, { send: { kind: "loaded" } });
  await stage.next("open");
  await stage.next("hold");
  stage.reply(from, [1], undefined);
  await holding;
});

it("a thread is not asked to end while it opens the file", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  await using stage = await openStage();
  const opening = stage.executor.open();
  const { from } = await stage.next("started");
  vi.advanceTimersByTime(10);
  stage.order(from, { send: { kind: "opened", usedBytes: 0 } });
  await opening;
  const call = stage.call();
  const { ids } = await stage.next("requests");
  stage.reply(from, ids, "counted");
  await call;
  vi.advanceTimersByTime(2);
  await stage.next("end");
  stage.order(from, { ...closed, exits: true });
});

it("a file that another process got while the thread ended is opened without the lock", async () => {
  await using stage = await openStage();
  const first = await openUntilQuiet(stage);
  using _other = lockFile(stage.path);
  expect(stage.executor.gaps).toBe(0);
  const call = stage.call();
  stage.order(first, { ...closed, exits: true });
  const { from } = await stage.next("started");
  expect(stage.executor.gaps).toBe(1);
  stage.order(from, { send: { kind: "failed", error: { kind: "unavailable", message: "in use" } } });
  await expect(call).rejects.toThrow(new inboxStore.faults.UnavailableError("in use"));
  expect(stage.executor.gaps).toBe(2);
});
