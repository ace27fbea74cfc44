import { expect, it, onTestFinished, vi } from "vitest";
import { createSharedProject } from "../../../../cmd/serve/event/shared-project.ts";
import type { LoadObserver } from "../../../../services/event/load/load.ts";
import { createRecordWatches } from "../../../../services/event/watch/watch.ts";
import type { ClickHouseStore } from "../../../../store/events/clickhouse/clickhouse.ts";
import type { Lease } from "../../../../store/leases/leases.ts";
import type { PostgresSpool } from "../../../../store/records/postgres/postgres-spool.ts";
import type { RecordPlace } from "../../../../store/records/records.ts";
import { loadText } from "../../config/load.ts";

const url = "postgresql://nowhere/db";
const at = (offset: number): RecordPlace => ({ number: 1, offset });

/** A project with 100 bytes of records in its first file. */
function openProject(end = at(100), waitingBytes?: number) {
  const spool = {
    reader: {
      start: async () => at(0),
      end: async () => end,
      grown: () => new Promise<void>(() => {}),
      read: async () => undefined,
      bytesAfter: async (place: RecordPlace) => waitingBytes ?? 100 - place.offset,
      release: async () => {},
    },
  } as unknown as PostgresSpool;
  const failed = vi.fn<LoadObserver["failed"]>();
  const { config } = loadText(
    `projects: [{ id: 1 }]
stores: { driver: shared, postgres: { url: '${url}' }, clickhouse: { shards: ['http://nowhere:8123'] } }`,
  );
  const project = createSharedProject({
    config,
    project: config.projects[0]!,
    database: { url, schema: "engage", maxConnections: 1 },
    spool,
    deadLetters: { append() {}, async flush() {}, async [Symbol.asyncDispose]() {} },
    observer: { loaded() {}, overLimit() {}, failed },
    watches: createRecordWatches(),
  });
  onTestFinished(() => project[Symbol.dispose]());
  return { project, failed };
}

it("knows what another process has loaded, and never goes back", async () => {
  const { project } = openProject();
  expect(project.pending.loadedTo()).toBeUndefined();
  expect(await project.waitingBytes()).toBe(100);
  for (const [given, known] of [
    [undefined, undefined],
    [at(40), at(40)],
    [at(30), at(40)],
    [at(90), at(90)],
  ]) {
    await project.loadedTo(given);
    expect(project.pending.loadedTo()).toEqual(known);
  }
  expect(await project.waitingBytes()).toBe(10);
  expect(project.loader()).toBeUndefined();
  expect(project.fault()).toBeUndefined();
});

it("reports that loading could not begin, and has no loader then", async () => {
  const { project, failed } = openProject();
  const away = new Error("away");
  const store = { loaderOf: () => Promise.reject(away) } as unknown as ClickHouseStore;
  const lease = { name: "load/1", token: 1, signal: new AbortController().signal } as Lease;
  await using _loading = project.load(lease, store);
  await vi.waitFor(() => expect(failed).toHaveBeenCalledWith(away, 1_000));
  expect(project.loader()).toBeUndefined();
});

it.each([
  ["nothing was ever loaded or accepted", at(0), undefined, 0],
  ["the file after the loaded one has no records", { number: 2, offset: 0 }, at(100), 0],
  ["records wait", at(100), at(90), 10],
])("has the right delay when %s", async (_when, end, loadedTo, waiting) => {
  const { project } = openProject(end, waiting);
  await project.loadedTo(loadedTo);
  await new Promise((resolve) => setTimeout(resolve, 2));
  if (waiting === 0) expect(project.lagMs()).toBe(0);
  else expect(project.lagMs()).toBeGreaterThan(0);
});
