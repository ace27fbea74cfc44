import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { median, quantile } from "../harness/compare.ts";
import type { TurnResult } from "../harness/connections.ts";
import type { Server } from "../harness/processes.ts";
import type { Turn } from "./ingest-load.ts";

export interface Measured extends TurnResult {
  readonly cpuSeconds: number;
}

/** One size of batches, sent to each of two servers in turn. */
export interface Contest<A extends Measured, B extends Measured> {
  readonly records: number;
  /** All records of a round. */
  readonly recordsPerRound: number;
  readonly rounds: number;
  readonly first: (turn: Omit<Turn, "port">) => Promise<A>;
  readonly second: (turn: Omit<Turn, "port">) => Promise<B>;
}

export interface ContestResult<A extends Measured, B extends Measured> {
  /** Records of a round. */
  readonly count: number;
  readonly first: readonly A[];
  readonly second: readonly B[];
  /** Records a second of the first against the second, median of the rounds. */
  readonly ratio: number;
  /** The same of records per second of CPU time. */
  readonly cpuRatio: number;
}

/** Starts the load generator. It must be disconnected. */
export function startLoad(): ChildProcess {
  return fork(join(import.meta.dirname, "ingest-load.ts"));
}

/** Sends the batches of a turn to a server, and measures its CPU time. */
export async function measureTurn(
  load: ChildProcess,
  server: Server,
  turn: Omit<Turn, "port">,
): Promise<Measured> {
  const before = server.cpuSeconds();
  load.send({ ...turn, port: server.port } satisfies Turn);
  const [result] = (await once(load, "message")) as [TurnResult];
  return { ...result, cpuSeconds: server.cpuSeconds() - before };
}

/** Measures both servers in turns, after one turn of each that does not count, and prints what was sent. */
export async function runContest<A extends Measured, B extends Measured>(
  contest: Contest<A, B>,
): Promise<ContestResult<A, B>> {
  const { records } = contest;
  const turn = { connections: 16, batches: Math.ceil(contest.recordsPerRound / records), records };
  const count = turn.batches * records;
  const [first, second]: [A[], B[]] = [[], []];
  await contest.first(turn);
  await contest.second(turn);
  for (let round = 0; round < contest.rounds; round++) {
    first.push(await contest.first(turn));
    second.push(await contest.second(turn));
  }
  console.log(`batches of ${records}, gzip, ${turn.connections} connections, ${count} records a round`);
  const ratioOf = (name: "seconds" | "cpuSeconds"): number =>
    median(first.map((one, at) => second[at]![name] / one[name]));
  return { count, first, second, ratio: ratioOf("seconds"), cpuRatio: ratioOf("cpuSeconds") };
}

/** Returns a row of the table of results. */
export function rowOf(contestant: string, count: number, measured: readonly Measured[]) {
  return {
    contestant,
    "records/s": Math.round(median(measured.map(({ seconds }) => count / seconds))),
    "p50 ms": median(measured.map(({ latenciesMs }) => quantile(latenciesMs, 0.5))).toFixed(1),
    "p99 ms": median(measured.map(({ latenciesMs }) => quantile(latenciesMs, 0.99))).toFixed(1),
    "CPU µs/record": ((1e6 * median(measured.map(({ cpuSeconds }) => cpuSeconds))) / count).toFixed(1),
  };
}
