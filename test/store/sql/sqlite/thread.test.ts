import { on } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { packageRoot, workerUrl } from "../../../../base/package/root.ts";
import type { Request, ToWorker, WorkerSetup } from "../../../../store/sql/sqlite/messages.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

const worker = workerUrl("store/inbox/sqlite/worker");
const database = pathToFileURL(join(packageRoot, "store/sql/sqlite/database.ts"));
/** A thread whose disk fails when the log is moved into the file. */
const failing = new URL(
  `data:text/javascript,${encodeURIComponent(`
import { StoreDatabase } from "${database}";
StoreDatabase.prototype.emptyLog = () => { throw new Error("disk I/O error"); };
await import("${worker}");
`)}`,
);

// A call waits for others longer than the test takes.
const setup = {
  maxWalBytes: 16_384,
  lockWaitMs: 0,
  checkAtOpen: false,
  lingerMs: 600_000,
  reserveBytes: 0,
  isLocked: false,
};

const requests = (...ids: number[]): ToWorker => ({
  kind: "requests",
  requests: ids.map((id): Request => ({ id, nowMs: 0, name: "counts", args: [false], bytes: 0 })),
});

it.each<[string, URL, readonly ToWorker[], readonly ToWorker[], string]>([
  ["has nothing to do", worker, [], [], "closed"],
  ["has done its calls", worker, [requests(1, 2)], [], "closed"],
  ["waits for more calls", worker, [requests(1, 2)], [requests(3)], "needed"],
  ["holds the file", worker, [{ kind: "hold", id: 1 }], [], "needed"],
  ["cannot move the log into the file", failing, [], [], "needed"],
])("a thread that %s is asked to end", async (_what, url, replied, waiting, expected) => {
  await using folder = await openTempFolder();
  const workerData: WorkerSetup = { ...setup, path: join(folder.path, "inbox.db") };
  await using thread = new Worker(url, { workerData });
  const messages = on(thread, "message", { close: ["exit"] });
  const next = async (): Promise<unknown> => (await messages.next()).value?.[0].kind;
  expect(await next()).toBe("opened");
  for (const message of replied) {
    thread.postMessage(message);
    expect(await next()).toBe("replies");
  }
  for (const message of [...waiting, { kind: "end" }]) thread.postMessage(message);
  expect(await next()).toBe(expected);
});
