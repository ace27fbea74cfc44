import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createPrepareWorker,
  PrepareWorkerDiedError,
} from "../../../../services/event/load/prepare-client.ts";
import { createProgress } from "../../../../services/event/load/worker-messages.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema } from "../../../../store/events/events.ts";
import { track } from "./load-rig.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "prepare-worker-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = new URL("../../../../cmd/serve/event/load-worker.ts", import.meta.url);

function start(intakePath = join(folder, "intake.db")) {
  const progress = createProgress();
  const intake = { path: intakePath, lockWaitMs: 0 };
  const thread = new Worker(file, { workerData: { intake, stagingFolder: folder, progress } });
  return { thread, progress, worker: createPrepareWorker(thread, progress) };
}

const from = { number: 1, offset: 0 };
const empty = { loadedTo: undefined, projects: new Map([[1, { schema: emptySchema, zone: "+00:00" }]]) };
const taskOf = (...records: unknown[]) => {
  const line = encodeSpoolLine(1, Date.UTC(2026, 0, 2), Buffer.from(JSON.stringify(records)));
  const bytes = new Uint8Array(Buffer.concat([line, Buffer.from("\n")]));
  return { from, bytes, maxRecords: 10, skipped: [] };
};

describe("thread that prepares", () => {
  it("answers with batches, and hands refused records out", async () => {
    const { worker } = start();
    await worker.reset(empty);
    const task = taskOf(track(1), {});
    const { batch, counts, deadLetters } = await worker.prepare(task);
    expect(batch.projects[0]?.counts).toEqual({ events: 1, updates: 0, seen: 1, users: 0 });
    expect(counts).toMatchObject({ records: 2, refused: { type: 1 } });
    expect(Buffer.from(deadLetters!.ndjson).toString()).toContain('"reason":"type"');
    expect(task.bytes.length).toBe(0);
    await worker[Symbol.asyncDispose]();
  });

  it("tells why it can't, and can when that has gone", async () => {
    const first = start();
    await first.worker.reset(empty);
    const second = start();
    await expect(second.worker.reset(empty)).rejects.toThrow("is in use by another process");
    await first.worker[Symbol.asyncDispose]();
    await second.worker.reset(empty);
    await second.worker[Symbol.asyncDispose]();
  });

  it("refuses a store that is ahead of it", async () => {
    const { worker } = start();
    await expect(worker.reset({ ...empty, loadedTo: from })).rejects.toThrow("restore both together");
    await worker[Symbol.asyncDispose]();
  });

  it("leaves the intake to the next one when it dies, and says at which line", async () => {
    const { worker, thread, progress } = start();
    await worker.reset(empty);
    await thread.terminate();
    progress[0] = 42;
    const error = await worker.prepare(taskOf(track(1))).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PrepareWorkerDiedError);
    expect(error).toMatchObject({ lineOffset: undefined, message: expect.stringContaining("exit code 1") });
    await worker[Symbol.asyncDispose]();
    const next = start();
    await next.worker.reset(empty);
    await next.worker[Symbol.asyncDispose]();
  });

  it("blames the line that it had begun", async () => {
    const { worker, progress } = start();
    await worker.reset(empty);
    const preparing = worker.prepare({ ...taskOf(track(1)), bytes: new Uint8Array(1) });
    await preparing;
    const dying = start(join(folder, "other.db"));
    await dying.worker.reset(empty);
    dying.progress[0] = 7;
    dying.thread.emit("error", new Error("out of memory"));
    await expect(dying.worker.prepare(taskOf())).rejects.toMatchObject({ lineOffset: 7 });
    await dying.thread.terminate();
    expect(progress[0]).toBe(-1);
    await worker[Symbol.asyncDispose]();
  });
});
