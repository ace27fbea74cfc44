import { existsSync, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeFolder, startServer } from "../harness/processes.ts";
import { measureTurn, rowOf, runContest, startLoad } from "./ingest-rounds.ts";

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
const load = startLoad();
const rounds = Number(values.rounds);

for (const records of [20, 1_000]) {
  const { count, first, second, ratio } = await runContest({
    records,
    recordsPerRound: Number(values.records),
    rounds,
    first: (turn) => measureTurn(load, tables, turn),
    second: (turn) => measureTurn(load, files, turn),
  });
  console.table([rowOf("spool in PostgreSQL", count, first), rowOf("spool of files", count, second)]);
  console.log(
    `ratio of records/s ${ratio.toFixed(2)} (bar ≥ 0.5), median of ${rounds} rounds, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
}
load.disconnect();
