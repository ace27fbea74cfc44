import { writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadConfig } from "../../cmd/config/config.ts";
import { makeFolder } from "../harness/processes.ts";
import { assertSameNumbers, assertSameUsers, type PeerRow } from "./agree.ts";
import { fillStore, makePeer, makeStore } from "./clickhouse/data.ts";
import { peers } from "./clickhouse/peers.ts";
import { areInstalled, startStore } from "./clickhouse/servers.ts";
import { compete, ownCpuMs, report, type Score } from "./contest.ts";
import { users } from "./data.ts";
import { restRequests } from "./rest-requests.ts";
import { post, serveConfig } from "./serving.ts";

/**
 * Measures typical requests over HTTP to a replica whose events are in ClickHouse, against SQL written by hand for one
 * sorted table, over HTTP to the same server. It first checks that both give the same numbers. The replica and all
 * servers run on the same cores.
 */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000000" },
    rounds: { type: "string", default: "7" },
    /** Runs only requests whose names contain this. */
    only: { type: "string", default: "" },
  },
});
if (!areInstalled()) process.exit();
await using store = await startStore(1);
await makeStore(store.options);
await fillStore(store.sqlOf(0), { events: Number(values.events), users });
await makePeer(store.sqlOf(0));

const cwd = makeFolder();
writeFileSync(
  join(cwd, "engage.yaml"),
  JSON.stringify({ listen: "127.0.0.1:0", data: cwd, ...store.config }),
);
await using replica = await serveConfig(loadConfig({ env: {}, cwd }));
const agent = new Agent({ keepAlive: true });
const address = `${store.options.shards[0]}/?database=${store.options.database}&session_timezone=UTC`;
const query = (sql: string) => post(address, { agent, body: `${sql} FORMAT JSONCompactEachRow` });

async function rowsOf(sql: string): Promise<readonly PeerRow[]> {
  const lines = (await query(sql)).toString("utf8").trimEnd().split("\n");
  return lines.map((line) => (JSON.parse(line) as unknown[]).map(withDates));
}

/** Times are texts in the server's JSON. */
function withDates(value: unknown): unknown {
  const isTime = typeof value === "string" && /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(value);
  return isTime ? new Date(`${value.slice(0, 10)}T${value.slice(11) || "00:00:00"}Z`) : value;
}

const scores = new Map<string, Score>();
const rounds = Number(values.rounds);
for (const [name, request] of Object.entries(restRequests).filter(([name]) => name.includes(values.only))) {
  const response = await replica.ask(request);
  const assertSame = request.path === "/open/event-user-list" ? assertSameUsers : assertSameNumbers;
  for (const sql of peers[name]!) assertSame(name, response, await rowsOf(sql));
  const contestants = peers[name]!.map((sql) => () => query(sql));
  const cpuMs = () => ownCpuMs() + store.shardCpuMs()[0]!;
  scores.set(name, await compete(() => replica.ask(request), contestants, { rounds, cpuMs }));
}
report(scores, rounds);
agent.destroy();
