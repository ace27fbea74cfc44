import { parseArgs } from "node:util";
import type { DuckDBConnection } from "@duckdb/node-api";
import { assertSameNumbers, assertSameUsers, type PeerRow } from "./agree.ts";
import { compete, report, type Score } from "./contest.ts";
import { dataArguments, openData } from "./generated.ts";
import { reportReadings } from "./readings.ts";
import { requests } from "./requests.ts";
import { type RestRequest, restRequests } from "./rest-requests.ts";
import { serveData } from "./serving.ts";

/**
 * Measures typical requests over HTTP, from the request's body to the last byte of the response, against SQL written by
 * hand for one sorted table in the same process and engine. It first checks that both give the same numbers.
 */
const { values } = parseArgs({ options: dataArguments });
const folder = await openData(values);
await reportReadings(folder);
await using serving = await serveData(folder);
const { peer, ask } = serving;

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly PeerRow[]> {
  return (await (await connection.run(sql)).getRowsJS()) as readonly PeerRow[];
}

async function check(name: string, request: RestRequest, statements: readonly string[]): Promise<void> {
  const response = await ask(request);
  const assertSame = request.path === "/open/event-user-list" ? assertSameUsers : assertSameNumbers;
  for (const sql of statements) assertSame(name, response, await rowsOf(peer, sql));
}

const scores = new Map<string, Score>();
for (const { name, peer: statements } of requests.filter(({ name }) => name.includes(values.only))) {
  const request = restRequests[name]!;
  await check(name, request, statements);
  const peers = statements.map((sql) => async () => (await peer.run(sql)).getColumns());
  scores.set(name, await compete(() => ask(request), peers, { rounds: Number(values.rounds) }));
}
report(scores, Number(values.rounds));
