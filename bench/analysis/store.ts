import { parseArgs } from "node:util";
import { Database } from "../../store/events/duckdb/database.ts";
import { createQueries, type Scans } from "../../store/events/duckdb/query/query.ts";
import { createScans } from "../../store/events/duckdb/query/scan.ts";
import { compete, report, type Score } from "./contest.ts";
import { storeOptions } from "./data.ts";
import { dataArguments, openData } from "./generated.ts";
import { requests, type TypicalRequest } from "./requests.ts";

/**
 * Measures the store alone: typical requests as the service makes them, against SQL written by hand for one sorted
 * table in the same process and with the same threads.
 */
const { values } = parseArgs({ options: dataArguments });
const folder = await openData(values);
const database = await Database.open(storeOptions(folder));
const scans = createScans(createQueries(database, { maxQueries: 2, maxWaiting: 10 }));
await using session = await database.session();

async function runOurs({ scans: own = [], users }: TypicalRequest, store: Scans): Promise<number> {
  const { signal } = new AbortController();
  let numbers = 0;
  for (const scan of own) {
    await using result = await store.scan(scan, signal);
    const { values } = await result.cells();
    numbers += values.reduce((sum, one) => sum + one.length, 0);
  }
  if (users !== undefined) for await (const some of store.users(users, signal)) numbers += [...some].length;
  return numbers;
}

const scores = new Map<string, Score>();
for (const request of requests.filter(({ name }) => name.includes(values.only))) {
  const peers = request.peer.map((sql) => async () => (await session.run(sql)).getColumns());
  scores.set(
    request.name,
    await compete(() => runOurs(request, scans), peers, { rounds: Number(values.rounds) }),
  );
}
report(scores, Number(values.rounds));
await database.close();
