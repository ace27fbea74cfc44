import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPreparer, type PreparerOptions } from "../../services/event/load/prepare.ts";
import { encodeSpoolLine } from "../../services/event/spool-line.ts";
import { shardOfUser } from "../../store/events/clickhouse/shards.ts";
import { openDuckDbStore } from "../../store/events/duckdb/duckdb.ts";
import type { CohortMember, EventStore } from "../../store/events/events.ts";
import { openSqliteIntake } from "../../store/intake/sqlite/open.ts";
import type { ReceivedRecord } from "./ingest.ts";
import type { ReferenceProject } from "./project.ts";

const mebibyte = 2 ** 20;
const maxRecords = 400;

export interface LoadedStore extends AsyncDisposable {
  readonly store: EventStore;
}

export interface EmptyStore extends EventStore {
  /** Of a store that divides users among shards. */
  readonly shardCount?: number;
}

/** Opens an empty store. */
export type OpenStore = (folder: string, stagingFolder: string) => Promise<EmptyStore>;

/** Opens a DuckDB store. */
const openDuckDb: OpenStore = (folder, stagingFolder) =>
  openDuckDbStore({
    folder,
    stagingFolder,
    memoryLimitBytes: 512 * mebibyte,
    threads: 2,
    maxTempBytes: 512 * mebibyte,
    maxQueries: 2,
    maxWaiting: 100,
  });

/** A store in a folder of its own, into which the records went the way that all records go. */
export async function openLoadedStore(
  project: ReferenceProject,
  records: readonly ReceivedRecord[],
  openStore: OpenStore = openDuckDb,
): Promise<LoadedStore> {
  const folder = mkdtempSync(join(tmpdir(), "engage-reference-"));
  const stagingFolder = join(folder, "staging");
  mkdirSync(stagingFolder);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true }));
  const store = await openStore(join(folder, "events"), stagingFolder);
  opened.use(store);
  const { shardCount } = store;
  using intake = openSqliteIntake({ path: join(folder, "intake.sqlite") });
  const shardOf = shardCount === undefined ? undefined : (user: number) => shardOfUser(user, shardCount);
  const options = { intake, folder: stagingFolder, eventFormat: "columns", shardOf } as const;
  await loadAll(store, options, project, records);
  for (const { name, day, kind, members } of project.clusters) {
    const version = { projectId: project.projectId, name, day, kind };
    await store.importCohort(version, listOnce(members));
  }
  const stack = opened.move();
  return { store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function* listOnce(members: readonly CohortMember[]): AsyncGenerator<readonly CohortMember[]> {
  yield members;
}

async function loadAll(
  store: EventStore,
  options: PreparerOptions,
  { projectId, zone }: ReferenceProject,
  records: readonly ReceivedRecord[],
): Promise<void> {
  const preparer = createPreparer(options);
  const start = { schema: store.schema(projectId), zone: zoneText(zone) };
  await preparer.reset({ loadedTo: store.loadedTo(), projects: new Map([[projectId, start]]) });
  const lines = records.map(({ record, receivedMs }) =>
    Buffer.concat([
      encodeSpoolLine(projectId, receivedMs, Buffer.from(JSON.stringify(record))),
      Buffer.from("\n"),
    ]),
  );
  let from = { number: 1, offset: 0 };
  for (let at = 0; at < lines.length; at += maxRecords) {
    const bytes = new Uint8Array(Buffer.concat(lines.slice(at, at + maxRecords)));
    const { batch } = await preparer.prepare({ from, bytes, maxRecords, skipped: [] });
    await store.load(batch);
    from = batch.to;
  }
}

/** As the configuration has it: an offset such as `+05:30`, or an IANA name. */
export function zoneText(zone: number | string): string {
  if (typeof zone === "string") return zone;
  const minutes = Math.round(Math.abs(zone) * 60);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${zone < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
