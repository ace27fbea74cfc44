import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { openEventLoading } from "../../../../cmd/serve/event/loading.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";

// Loads one record and prints the name and niceness of each thread. It is a process of its own, since a lowered
// priority cannot be raised again.
const { config } = loadConfig({ env: {}, cwd: process.argv[2]! });
await using loading = await openEventLoading(config, {
  deadLetters: { append() {}, flush: async () => {} },
  observer: { loaded() {}, failed: (error) => console.error(error), overLimit() {} },
  torn() {},
  changed() {},
});
await loading.append(encodeSpoolLine(1, Date.now(), Buffer.from("[]")));
await loading.loader.flush(AbortSignal.timeout(60_000));
const tasks = "/proc/self/task";
const nameOf = (id: string) => readFileSync(`${tasks}/${id}/comm`, "utf8").trim();
console.log(JSON.stringify(readdirSync(tasks).map((id) => `${nameOf(id)} ${getPriority(Number(id))}`)));
