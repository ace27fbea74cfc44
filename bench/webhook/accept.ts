import { existsSync } from "node:fs";
import { median, quantile } from "../harness/compare.ts";
import type { TurnResult } from "../harness/connections.ts";
import type { Server } from "../harness/processes.ts";
import type { Generator, Turn } from "./generator.ts";
import { startFloor, startService } from "./servers.ts";

interface Contestant {
  readonly name: string;
  readonly server: Server;
  readonly bar?: string;
}

interface Measured extends TurnResult {
  readonly cpuSeconds: number;
}

/** Sends signed batches to all contestants in turn and compares the first with each other. */
export async function measureAccepting(generator: Generator, rounds: number): Promise<void> {
  await using floor = await startFloor(7331);
  await using sqlite = await startService(7332, { demo: ["queue"] });
  await using postgres = await openPostgres();
  const all: readonly Contestant[] = [
    { name: "webhook, SQLite", server: sqlite },
    { name: "floor: node:http, HMAC, JSON.parse, append and fsync", server: floor, bar: "≥ 0.5" },
    ...(postgres.service === undefined ? [] : [{ name: "webhook, PostgreSQL", server: postgres.service }]),
  ];
  const small = { path: "/webhook/demo", connections: 16, batches: 600, elements: 100 };
  console.log("signed batches of 100 messages, 16 connections");
  await compareTurns(generator, all, small, rounds);
  const big = { path: "/webhook/demo", connections: 8, batches: 120, elements: 500 };
  console.log("signed batches of 500 messages, 8 connections; aim for p99: 150 ms");
  await compareTurns(generator, all, big, rounds);
}

/** Starts the service on its own PostgreSQL, if Debian's is installed (see `test/servers/run`). */
async function openPostgres(): Promise<AsyncDisposable & { readonly service?: Server }> {
  if (!existsSync("/usr/lib/postgresql")) {
    console.log("PostgreSQL is not installed (Debian: apt-get install postgresql), its rows are skipped");
    return { async [Symbol.asyncDispose]() {} };
  }
  const [{ openPostgresServer }, { migrate }] = await Promise.all([
    import("../../test/servers/inbox/postgres-server.ts"),
    import("../../store/inbox/postgres/open.ts"),
  ]);
  const database = await openPostgresServer();
  await migrate(database, "engage_inbox");
  const inbox = { driver: "postgres", url: database.url };
  const service = await startService(7333, { demo: ["queue"] }, { inbox });
  return {
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function compareTurns(
  generator: Generator,
  contestants: readonly Contestant[],
  turn: Omit<Turn, "port">,
  rounds: number,
): Promise<void> {
  const run = async ({ server }: Contestant): Promise<Measured> => {
    const before = server.cpuSeconds();
    const result = await generator.run({ ...turn, port: server.port });
    return { ...result, cpuSeconds: server.cpuSeconds() - before };
  };
  for (const contestant of contestants) await run(contestant);
  const measured = contestants.map((): Measured[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, contestant] of contestants.entries()) measured[at]!.push(await run(contestant));
  }
  const ratioTo = (at: number, pick: (one: Measured) => number): string =>
    median(measured[at]!.map((one, round) => pick(one) / pick(measured[0]![round]!))).toFixed(2);
  console.table(
    contestants.map(({ name, bar = "" }, at) => ({
      contestant: name,
      "batches/s": Math.round(median(measured[at]!.map(({ seconds }) => turn.batches / seconds))),
      "p50 ms": latency(measured[at]!, 0.5),
      "p99 ms": latency(measured[at]!, 0.99),
      "CPU ms/batch": (
        1_000 * median(measured[at]!.map(({ cpuSeconds }) => cpuSeconds / turn.batches))
      ).toFixed(2),
      "ratio of batches/s": ratioTo(at, ({ seconds }) => seconds),
      "ratio of batches/CPU s": ratioTo(at, ({ cpuSeconds }) => cpuSeconds),
      bar,
    })),
  );
  console.log(`ratios: the first row against this row, median of ${rounds} rounds\n`);
}

/** Returns the median over the rounds, since the machine may pause in one. */
function latency(rounds: readonly TurnResult[], share: number): string {
  return median(rounds.map(({ latenciesMs }) => quantile(latenciesMs, share))).toFixed(1);
}
