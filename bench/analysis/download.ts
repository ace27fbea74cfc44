import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { median } from "../harness/compare.ts";
import { days, firstDayMs, users } from "./data.ts";
import { dataArguments, openData } from "./generated.ts";
import { query, startService } from "./service.ts";

/** Measures the list of all users as a file: time to the first byte, rate, and the server's memory. */
const { values } = parseArgs({ options: dataArguments });
await using server = await startService(7343, await openData(values));

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const eventView = {
  startTime: dayOf(firstDayMs),
  endTime: dayOf(firstDayMs + (days - 1) * 86_400_000),
  timeParticleSize: "total",
};
const events = [{ type: "normal", eventName: "anyEvent", analysis: "TRIG_USER_NUM" }];
const slice = { eventView, events, sliceGroupVal: [], eventIndex: 0 };
const columns = { selectedColumns: ["#user_id", "#account_id", "#distinct_id", "country", "spent"] };

interface Run {
  readonly rows: number;
  readonly bytes: number;
  readonly firstByteMs: number;
  readonly seconds: number;
  readonly grownMiB: number;
}

const lf = 10;

async function download(): Promise<Run> {
  const startMs = performance.now();
  const before = server.residentMiB();
  let [rows, bytes, firstByteMs, most] = [-1, 0, 0, before];
  const response = await query(server, "/open/streaming-download/event-user-list", { ...slice, ...columns });
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    if (bytes === 0) firstByteMs = performance.now() - startMs;
    bytes += chunk.length;
    for (const byte of chunk) if (byte === lf) rows++;
    most = Math.max(most, server.residentMiB());
  }
  const seconds = (performance.now() - startMs) / 1_000;
  return { rows, bytes, firstByteMs, seconds, grownMiB: most - before };
}

const first = await download();
const runs: Run[] = [];
for (let round = 0; round < Number(values.rounds); round++) runs.push(await download());
console.table([
  {
    users,
    rows: first.rows,
    MB: (first.bytes / 1e6).toFixed(1),
    "first byte ms": Math.round(median(runs.map(({ firstByteMs }) => firstByteMs))),
    "rows/s": Math.round(median(runs.map(({ rows, seconds }) => rows / seconds))),
    "grown MiB, first": Math.round(first.grownMiB),
    "grown MiB, later": Math.round(Math.max(...runs.map(({ grownMiB }) => grownMiB))),
    "resident MiB": Math.round(server.residentMiB()),
  },
]);
console.log(`median of ${values.rounds} rounds, load average ${loadavg()[0]!.toFixed(1)}\n`);
