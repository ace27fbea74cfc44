import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import { smallStore } from "./duckdb-world.ts";
import { writeNumberedBatch } from "./numbered-batch.ts";

// A process to be killed: loads batches without end, from where the store is, and the one before again. Writes the
// number of each to its output when it is acknowledged.
const [, , folder = ""] = process.argv;
const stagingFolder = join(folder, "staging");
await mkdir(stagingFolder, { recursive: true });
const store = await openDuckDbStore({ ...smallStore, folder: join(folder, "events"), stagingFolder });
const loaded = store.loadedTo()?.offset ?? 0;
for (let number = Math.max(1, loaded); ; number++) {
  const counts = await store.load(await writeNumberedBatch(stagingFolder, number));
  process.stdout.write(`${number} ${counts.events}\n`);
}
