import { cpSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeFolder, runTool } from "../../harness/processes.ts";
import { dataArguments, openData } from "../generated.ts";
import { areInstalled, insertAgain, type StoreServers, startStore } from "./servers.ts";

/**
 * Measures `engage store move` of a data folder without a server, with its comparison of both stores, against a bare
 * loop that inserts the rows of the same batches into a table of the same form, as Parquet. The command and the servers
 * run on the same cores.
 */
const { values } = parseArgs({
  options: {
    data: dataArguments.data,
    events: dataArguments.events,
    shards: { type: "string", default: "1" },
  },
});
if (!areInstalled()) process.exit();
const source = await openData(values);
await using store = await startStore(Number(values.shards));

const before = store.shardCpuMs();
const seconds = await move(source, store);
const shardCpu = store.shardCpuMs().map((cpuMs, shard) => (cpuMs - before[shard]!) / 1_000);
const loop = { seconds: 0, records: 0 };
for (const shard of store.shards.keys()) {
  const inserted = await insertAgain(store, shard, 0, "Parquet");
  loop.seconds += inserted.seconds;
  loop.records += inserted.records;
}
const perSecond = loop.records / seconds;
const loopPerSecond = loop.records / loop.seconds;
console.log(
  `${loop.records} events in ${seconds.toFixed(1)} s: ${Math.round(perSecond)} a second, ` +
    `${(perSecond / loopPerSecond).toFixed(2)} × of the bare loop (${Math.round(loopPerSecond)})`,
);
console.log(`CPU s of each shard: ${shardCpu.map((cpu) => cpu.toFixed(1)).join(", ")}`);
console.log(`load average ${loadavg()[0]!.toFixed(1)}`);

/** Moves a copy of the folder, prints what the command says, and returns the seconds it took. */
async function move(folder: string, { config }: StoreServers): Promise<number> {
  const data = join(makeFolder(), "data");
  cpSync(folder, data, { recursive: true });
  const configs = makeFolder();
  const [from, to] = [join(configs, "from.json"), join(configs, "to.json")];
  writeFileSync(from, JSON.stringify({ data, projects: config.projects }));
  writeFileSync(to, JSON.stringify({ data: makeFolder(), ...config }));
  const startMs = performance.now();
  const command = ["cmd/engage.ts", "store", "move", "--config", from, "--to", to];
  console.log(await runTool(process.execPath, command));
  return (performance.now() - startMs) / 1_000;
}
