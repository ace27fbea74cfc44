import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmbeddedProject } from "../../cmd/serve/analysis/embedded-project.ts";
import { defineProject } from "../../services/analysis/project/definitions.ts";
import { createChannelAudience } from "../../services/bridges/channel-audience.ts";
import type { AudienceSource } from "../../services/channel/audience/source.ts";
import { prepareRun } from "../../services/channel/delivery/prepare/prepare.ts";
import { openSqliteChannels } from "../../store/channels/sqlite/open.ts";
import { openDuckDbStore } from "../../store/events/duckdb/duckdb.ts";
import { projectId, storeOptions } from "../analysis/data.ts";
import { configOf } from "../analysis/serving.ts";
import { batchSize, manyUsers, startPush } from "./world.ts";

/**
 * Prepares pushes to all users of a project and to as many users made in a loop, in turns, and prints the CPU time of
 * each in microseconds a recipient, without that of the loop.
 */
const [data = "", users = "0", rounds = "0"] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "bench-channel-"));
const channels = await openSqliteChannels({ path: join(folder, "channels.db") });
const store = await openDuckDbStore({ ...storeOptions(data), maxQueries: 2, maxWaiting: 10 });
const { zone, ...config } = configOf(data).config.projects[0]!;
const project = createEmbeddedProject({
  store,
  gate: () => undefined,
  project: defineProject({ ...config, zone }, () => []),
  zone,
  now: Date.now,
});
const making = { cpuSeconds: 0 };
const sources: Readonly<Record<string, AudienceSource>> = {
  loop: manyUsers(Number(users), making),
  project: createChannelAudience({
    projects: new Map([[projectId, project]]),
    schemaOf: (id) => store.schema(id),
    now: Date.now,
  }),
};

/** Names of threads; those of the engine are created in the pool, and have its name. */
const threads: Readonly<Record<string, string>> = {
  "node-MainThread": "main",
  "engage-channels": "store",
  "libuv-worker": "engine",
  "node-V8Worker": "v8",
};

/** Returns the CPU time of each kind of thread until now, in microseconds. */
function cpuOfThreads(): Readonly<Record<string, number>> {
  const found: Record<string, number> = { main: 0, store: 0, engine: 0, v8: 0, others: 0 };
  for (const id of readdirSync("/proc/self/task")) {
    const read = (file: string) => readFileSync(`/proc/self/task/${id}/${file}`, "utf8");
    const [ranNs] = read("schedstat").split(" ");
    const name = threads[read("comm").trim()] ?? "others";
    found[name]! += Number(ranNs) / 1_000;
  }
  return found;
}

/** Returns the CPU time of a preparation, in microseconds a recipient. */
async function prepare(audience: AudienceSource): Promise<Readonly<Record<string, number>>> {
  const { runId } = await startPush(channels, "http://127.0.0.1:1/hook", -1, batchSize);
  making.cpuSeconds = 0;
  const [cpu, before] = [process.cpuUsage(), cpuOfThreads()];
  const held = await channels.leasePreparation("bench", 600_000);
  if (held === null) throw new Error("no run to prepare");
  await prepareRun(
    held,
    { store: channels, audience, newRequestId: randomUUID },
    new AbortController().signal,
  );
  const after = cpuOfThreads();
  const { user, system } = process.cpuUsage(cpu);
  const { planned, filtered } = (await channels.statistics(runId))!;
  if (planned - filtered !== Number(users)) throw new Error(`${planned - filtered} recipients are prepared`);
  const found: Record<string, number> = { all: user + system };
  for (const [name, us] of Object.entries(after)) found[name] = us - before[name]!;
  for (const name of ["all", "main"]) found[name]! -= making.cpuSeconds * 1e6;
  return Object.fromEntries(Object.entries(found).map(([name, us]) => [name, us / Number(users)]));
}

const measured: Record<string, Readonly<Record<string, number>>[]> = { loop: [], project: [] };
// In the first round functions are compiled.
for (let round = -1; round < Number(rounds); round++) {
  for (const [name, source] of Object.entries(sources)) {
    const figures = await prepare(source);
    if (round >= 0) measured[name]!.push(figures);
  }
}
await channels[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true });
console.log(JSON.stringify(measured));
