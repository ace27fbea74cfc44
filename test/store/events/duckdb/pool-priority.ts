import { getPriority } from "node:os";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import { linuxThreads } from "../../../../store/events/duckdb/priority.ts";
import { smallStore } from "./duckdb-world.ts";

// A process of its own, since a priority that was lowered stays: opens a store and
// prints each thread's name and niceness.
const [, , folder = "", stagingFolder = "", niceness = ""] = process.argv;
const options = { ...smallStore, folder, stagingFolder, threads: 3, niceness: Number(niceness) };
await using _store = await openDuckDbStore(options);
const threads = await Promise.all(
  (await linuxThreads.ids()).map(async (id) => [await linuxThreads.nameOf(id), getPriority(id)]),
);
console.log(JSON.stringify(threads));
