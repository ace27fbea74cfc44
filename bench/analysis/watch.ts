import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RecordWatcher } from "../../gen/engage/event/v1/record_watcher_pb.ts";
import { makeFolder, type Server } from "../harness/processes.ts";
import { projectId } from "./data.ts";
import type { Turn } from "./ingest-load.ts";
import { type Measured, measureTurn, rowOf, runContest, startLoad } from "./ingest-rounds.ts";
import { allQueryable, startService } from "./service.ts";

/**
 * Measures `/sync_server` with a watch of all records of the project, against the same server without one, in turns;
 * with `--against FOLDER` also this checkout without a watch against another one. CPU time includes loading.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    records: { type: "string", default: "100000" },
    against: { type: "string" },
  },
});
const folder = makeFolder();
const load = startLoad();
const plain = await startService(7351, join(folder, "plain"));
const watched = await startService(7352, join(folder, "watched"));
const caller = new AbortController();
const seen = { records: 0, skipped: 0 };

async function watch({ port }: Server): Promise<void> {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` });
  const options = { signal: caller.signal };
  const responses = createClient(RecordWatcher, transport).watchRecords(
    { projectId: BigInt(projectId) },
    options,
  );
  for await (const { records, skipped } of responses) {
    seen.records += records.length;
    seen.skipped += Number(skipped);
  }
}

const measure =
  (server: Server) =>
  async (turn: Omit<Turn, "port">): Promise<Measured> => {
    const before = server.cpuSeconds();
    const measured = await measureTurn(load, server, turn);
    await allQueryable(server);
    return { ...measured, cpuSeconds: server.cpuSeconds() - before };
  };

async function compare(names: readonly [string, string], first: Server, second: Server): Promise<void> {
  const contest = {
    records: 20,
    recordsPerRound: Number(values.records),
    rounds: Number(values.rounds),
    first: measure(first),
    second: measure(second),
  };
  const { count, first: one, second: other, ratio } = await runContest(contest);
  console.table([rowOf(names[0], count, one), rowOf(names[1], count, other)]);
  console.log(`ratio of records/s ${ratio.toFixed(2)}, load average ${loadavg()[0]!.toFixed(1)}\n`);
}

if (values.against !== undefined) {
  const before = await startService(7353, join(folder, "before"), {}, values.against);
  await compare(["without a watch", values.against], plain, before);
  await before[Symbol.asyncDispose]();
}
const watching = watch(watched).catch(() => {});
await compare(["with a watch", "without one"], watched, plain);
console.log(`the watch got ${seen.records} records and skipped ${seen.skipped}`);
caller.abort();
await watching;
load.disconnect();
await watched[Symbol.asyncDispose]();
await plain[Symbol.asyncDispose]();
