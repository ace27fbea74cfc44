import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDbStoreOptions, openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import { type EventsWorld, exportMs } from "../../../conformance/events/world.ts";

const mib = 1_048_576;

export const smallStore = {
  memoryLimitBytes: 256 * mib,
  maxTempBytes: 256 * mib,
  threads: 2,
  maxQueries: 2,
  maxWaiting: 8,
  now: () => exportMs,
} as const;

/** A folder of its own, gone when it is disposed of. */
export async function createDuckDbWorld(): Promise<EventsWorld & { readonly options: DuckDbStoreOptions }> {
  const parent = await mkdtemp(join(tmpdir(), "events-"));
  const folder = join(parent, "staging");
  await mkdir(folder);
  const options = { ...smallStore, folder: join(parent, 'it\'s "here"'), stagingFolder: folder };
  return {
    folder,
    options,
    open: (limits) => openDuckDbStore({ ...options, ...limits }),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true }),
  };
}
