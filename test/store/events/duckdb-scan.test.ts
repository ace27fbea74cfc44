import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDuckDbStore } from "../../../store/events/duckdb/open.ts";
import { testScan } from "../../conformance/events/scan.ts";
import { type EventsWorld, exportMs } from "../../conformance/events/world.ts";

testScan(async (): Promise<EventsWorld> => {
  const folder = await mkdtemp(join(tmpdir(), "engage-scan-"));
  return {
    folder,
    open: ({ maxQueries, maxWaiting } = { maxQueries: 2, maxWaiting: 10 }) =>
      openDuckDbStore({
        folder: join(folder, "store"),
        stagingFolder: folder,
        memoryLimitBytes: 512 * 1024 * 1024,
        maxTempBytes: 512 * 1024 * 1024,
        threads: 2,
        maxQueries,
        maxWaiting,
        now: () => exportMs,
      }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
});
