import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, quantile } from "../harness/compare.ts";
import type { TurnResult } from "../harness/connections.ts";
import { makeFolder, type Server, startServer } from "../harness/processes.ts";
import type { Turn } from "./ingest-load.ts";

/**
 * Measures how fast `/sync_server` accepts records with the spool in PostgreSQL, against the spool of files, in turns.
 * PostgreSQL runs on the same cores. Nothing is loaded.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, records: { type: "string", default: "100000" } },
});
if (!existsSync("/usr/lib/postgresql")) {
  console.log("PostgreSQL is not installed (Debian: apt-get install postgresql), nothing is measured");
  process.exit();
}
const [{ openPostgresServer }, { migrate }] = await Promise.all([
  import("../../test/servers/inbox/postgres-server.ts"),
  import("../../store/records/postgres/open.ts"),
]);
const folder = join(makeFolder(), "files");
mkdirSync(folder);
await using database = await openPostgresServer();
await migrate(database, "bench");
await using files = await startServer("bench/analysis/spool-server.ts", 7351, { ENGAGE_DATA: folder });
await using tables = await startServer("bench/analysis/spool-server.ts", 7352, { SPOOL_URL: database.url });
const load = fork(join(import.meta.dirname, "ingest-load.ts"));

interface Measured extends TurnResult {
  readonly cpuSeconds: number;
}

async function run(server: Server, turn: Omit<Turn, "port">): Promise<Measured> {
  const before = server.cpuSeconds();
  load.send({ ...turn, port: server.port } satisfies Turn);
  const [result] = (await once(load, "message")) as [TurnResult];
  return { ...result, cpuSeconds: server.cpuSeconds() - before };
}

for (const records of [20, 1_000]) {
  const turn = { connections: 16, batches: Math.ceil(Number(values.records) / records), records };
  const count = turn.batches * records;
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  await run(tables, turn);
  await run(files, turn);
  for (let round = 0; round < Number(values.rounds); round++) {
    ours.push(await run(tables, turn));
    theirs.push(await run(files, turn));
  }
  const rowOf = (contestant: string, measured: readonly Measured[]) => ({
    contestant,
    "records/s": Math.round(median(measured.map(({ seconds }) => count / seconds))),
    "p50 ms": median(measured.map(({ latenciesMs }) => quantile(latenciesMs, 0.5))).toFixed(1),
    "p99 ms": median(measured.map(({ latenciesMs }) => quantile(latenciesMs, 0.99))).toFixed(1),
    "CPU µs/record": ((1e6 * median(measured.map(({ cpuSeconds }) => cpuSeconds))) / count).toFixed(1),
  });
  const ratio = median(ours.map(({ seconds }, at) => theirs[at]!.seconds / seconds));
  console.log(`batches of ${records}, gzip, ${turn.connections} connections, ${count} records a round`);
  console.table([rowOf("spool in PostgreSQL", ours), rowOf("spool of files", theirs)]);
  console.log(
    `ratio of records/s ${ratio.toFixed(2)} (bar ≥ 0.5), median of ${values.rounds} rounds, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
}
load.disconnect();
