import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareRun } from "../../services/channel/delivery/prepare/prepare.ts";
import { openSqliteChannels } from "../../store/channels/sqlite/open.ts";
// The peer has loaded undici before its time begins, too.
import "../../base/net/kept-connections.ts";
import { batchSize, ended, manyUsers, openDelivery, secondsOf, startPush } from "./world.ts";

/** Prepares all batches for this many recipients, then sends them, and prints the duration and CPU time of both. */
const [url = "", recipients = "0", size = String(batchSize)] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "bench-channel-"));
const store = await openSqliteChannels({ path: join(folder, "channels.db") });
const making = { cpuSeconds: 0 };
const audience = manyUsers(Number(recipients), making);
let peakBytes = 0;
const watching = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 200);

const run = await startPush(store, url, -1, Number(size));
const { signal } = new AbortController();
const begun = performance.now();
const startedCpu = process.cpuUsage();
const held = await store.leasePreparation("bench", 600_000);
if (held === null) throw new Error("no run to prepare");
await prepareRun(held, { store, audience, newRequestId: randomUUID }, signal);
const prepared = performance.now();
const preparingCpu = process.cpuUsage(startedCpu);
const preparingBytes = peakBytes;
peakBytes = 0;
const delivery = openDelivery(store, audience);
delivery.start();
await ended(store, run);
const sent = performance.now();
const wholeCpu = process.cpuUsage(startedCpu);
clearInterval(watching);
const { succeeded, batches } = (await store.statistics(run.runId))!;
await delivery.stop(1_000);
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true });
const [preparingSeconds, sendingSeconds] = [(prepared - begun) / 1_000, (sent - prepared) / 1_000];
const figures = {
  succeeded,
  batches,
  preparingSeconds,
  sendingSeconds,
  preparingBytes,
  sendingBytes: peakBytes,
};
const cpu = {
  makingCpuSeconds: making.cpuSeconds,
  preparingCpuSeconds: secondsOf(preparingCpu),
  cpuSeconds: secondsOf(wholeCpu) - secondsOf(preparingCpu),
};
console.log(JSON.stringify({ ...figures, ...cpu }));
