import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPrepareWorker } from "../../../services/event/load/prepare-client.ts";
import { createProgress } from "../../../services/event/load/worker-messages.ts";
import { encodeSpoolLine } from "../../../services/event/spool-line.ts";
import { emptySchema } from "../../../store/events/events.ts";
import { track } from "../../services/event/load/load-rig.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { createSchema } from "./intake-schema.ts";

let server: PostgresServer;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "engage-prepare-"));
  server = await openPostgresServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const file = new URL("../../../cmd/serve/event/load-worker.ts", import.meta.url);
const projects = new Map([[1, { schema: emptySchema, zone: "+00:00" }]]);

function start(schema: string) {
  const progress = createProgress();
  const intake = { url: server.url, schema, spool: 1 };
  return createPrepareWorker(
    new Worker(file, { workerData: { intake, stagingFolder: folder, progress } }),
    progress,
  );
}

function taskOf(at: number, ...records: unknown[]) {
  const line = encodeSpoolLine(1, Date.UTC(2026, 0, 2), Buffer.from(JSON.stringify(records)));
  const bytes = new Uint8Array(Buffer.concat([line, Buffer.from("\n")]));
  return { from: { number: 1, offset: at }, bytes, maxRecords: 10, skipped: [] };
}

it("threads of two replicas prepare one after the other, each record once", async () => {
  await using schema = await createSchema(server);
  const [first, second] = [start(schema.name), start(schema.name)];
  await first.reset({ loadedTo: undefined, projects });
  const { batch, counts, committed } = await first.prepare(taskOf(0, track(1), track(1), track(2)));
  await committed;
  expect(counts).toMatchObject({ events: 2, duplicates: { uuid: 1 } });
  await second.reset({ loadedTo: batch.to, projects });
  await expect(first.prepare(taskOf(batch.to.offset, track(3)))).rejects.toThrow(
    "another loader has changed",
  );
  const next = await second.prepare(taskOf(batch.to.offset, track(2), track(3), track(1)));
  expect(next.counts).toMatchObject({ events: 1, duplicates: { uuid: 2 } });
  expect(next.batch.projects[0]?.counts).toMatchObject({ seen: 1 });
  await Promise.all([first, second].map((worker) => worker[Symbol.asyncDispose]()));
});

it("thread says that the intake is missing until it is migrated", async () => {
  await using worker = start("nowhere");
  await expect(worker.reset({ loadedTo: undefined, projects })).rejects.toMatchObject({
    name: "IntakeOpenError",
    message: expect.stringContaining("run engage migrate"),
  });
});
