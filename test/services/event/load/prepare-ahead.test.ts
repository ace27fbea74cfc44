import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel, type Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPreparer } from "../../../../services/event/load/prepare.ts";
import { createPrepareWorker } from "../../../../services/event/load/prepare-client.ts";
import type { PreparedBatch } from "../../../../services/event/load/prepared.ts";
import { servePreparer } from "../../../../services/event/load/worker-loop.ts";
import { createProgress } from "../../../../services/event/load/worker-messages.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema } from "../../../../store/events/events.ts";
import type { Intake } from "../../../../store/intake/intake.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";
import { track } from "./load-rig.ts";
import { strict } from "./strict-intake.ts";

let folder = "";
let steps: string[] = [];
let commits: PromiseWithResolvers<void>[] = [];
let intake: Intake;

/** An intake whose commits end when the test says so. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "prepare-ahead-"));
  steps = [];
  commits = [];
  const inner = strict(openSqliteIntake({ path: join(folder, "intake.db") }));
  intake = {
    ...inner,
    async begin(from, keys) {
      await inner.begin(from, keys);
      steps.push(`begin ${from.offset}`);
    },
    async commit(to) {
      const gate = Promise.withResolvers<void>();
      const committed = inner.commit(to);
      commits.push(gate);
      await gate.promise;
      await committed;
    },
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = { loadedTo: undefined, projects: new Map([[1, { schema: emptySchema, zone: "+00:00" }]]) };

function taskOf(offset: number, n: number) {
  const line = encodeSpoolLine(1, Date.UTC(2026, 0, 2), Buffer.from(JSON.stringify(track(n))));
  const bytes = new Uint8Array(Buffer.concat([line, Buffer.from("\n")]));
  return { from: { number: 1, offset }, bytes, maxRecords: 10, skipped: [] };
}

it("prepares the next batch while the claims of one are committed, and commits it afterwards", async () => {
  const preparer = createPreparer({ intake, folder });
  await preparer.reset(start);
  const written = ({ batch }: PreparedBatch) => void steps.push(`written ${batch.from.offset}`);
  const first = preparer.prepare(taskOf(0, 1), written);
  await vi.waitFor(() => expect(commits).toHaveLength(1));
  const second = preparer.prepare(taskOf(500, 2), written);
  await vi.waitFor(() => expect(steps).toContain("begin 500"));
  expect(steps).toEqual(["begin 0", "written 0", "begin 500"]);
  expect(commits).toHaveLength(1);
  commits[0]!.resolve();
  await first;
  await vi.waitFor(() => expect(commits).toHaveLength(2));
  expect(steps.at(-1)).toBe("written 500");
  commits[1]!.resolve();
  expect((await second).counts.events).toBe(1);
  await intake[Symbol.asyncDispose]();
});

/** Starts a thread's loop on a channel. */
function openWorker() {
  const { port1, port2 } = new MessageChannel();
  servePreparer({ port: port2, openIntake: () => intake, folder, progress: createProgress() });
  const worker = createPrepareWorker(port1 as unknown as Worker, createProgress());
  const close = async (): Promise<void> => {
    port1.postMessage({ kind: "close" });
    await once(port1, "close");
  };
  return { worker, close };
}

it("replies that claims are committed before it replies that the next batch is prepared", async () => {
  const { worker, close } = openWorker();
  await worker.reset(start);
  const replies: string[] = [];
  const reply = (text: string) => () => void replies.push(text);
  const first = await worker.prepare(taskOf(0, 1));
  const second = worker.prepare(taskOf(500, 2));
  const replied = [first.committed.then(reply("first committed")), second.then(reply("second prepared"))];
  await vi.waitFor(() => expect(steps).toContain("begin 500"));
  commits[0]!.resolve();
  await Promise.all(replied);
  expect(replies).toEqual(["first committed", "second prepared"]);
  commits[1]!.resolve();
  await (await second).committed;
  await close();
});

it("fails the next batch, too, when claims cannot be committed, and prepares both again", async () => {
  const { worker, close } = openWorker();
  await worker.reset(start);
  const first = await worker.prepare(taskOf(0, 1));
  const second = worker.prepare(taskOf(500, 2));
  const outcomes = Promise.allSettled([first.committed, second]);
  commits[0]!.reject(new Error("the disk is full"));
  expect(await outcomes).toMatchObject([
    { reason: new Error("the disk is full") },
    { reason: new Error("the disk is full") },
  ]);
  await worker.reset(start);
  for (const [at, n] of [1, 2].entries()) {
    const { counts, committed } = await worker.prepare(taskOf(at * 500, n));
    expect(counts).toMatchObject({ events: 1, duplicates: { uuid: 0 } });
    commits.at(-1)!.resolve();
    await committed;
  }
  await close();
});
