import type { Server } from "./processes.ts";

/** A contestant and its server. */
export interface Contestant {
  readonly name: string;
  readonly server: Server;
  /** The least ratio of calls a CPU second to this peer. */
  readonly bar?: number;
}

interface Score {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/**
 * Puts the same load on each contestant in turn, round by round, so that a change of the machine's speed affects all
 * of them. The first is compared with each other: ratios are taken per round, and their median is printed.
 */
export async function compare(
  contestants: readonly Contestant[],
  rounds: number,
  load: (server: Server) => Promise<{ calls: number; perSecond: number }>,
): Promise<void> {
  const scores = new Map<string, Score[]>(contestants.map(({ name }) => [name, []]));
  for (const { server } of contestants) await load(server);
  for (let round = 0; round < rounds; round++) {
    for (const { name, server } of contestants) {
      const before = server.cpuSeconds();
      const { calls, perSecond } = await load(server);
      scores.get(name)?.push({ perSecond, perCpuSecond: calls / (server.cpuSeconds() - before) });
    }
  }
  const [first] = contestants;
  const ours = scores.get(first?.name ?? "") ?? [];
  const rows = contestants.map(({ name, bar }) => {
    const theirs = scores.get(name) ?? [];
    const ratio = (pick: (score: Score) => number): number =>
      median(ours.map((score, round) => pick(score) / pick(theirs[round] as Score)));
    const cpuRatio = ratio((score) => score.perCpuSecond);
    return {
      server: name,
      "calls/s": Math.round(median(theirs.map((score) => score.perSecond))),
      "calls/CPU s": Math.round(median(theirs.map((score) => score.perCpuSecond))),
      "ratio of calls/s": ratio((score) => score.perSecond).toFixed(2),
      "ratio of calls/CPU s": cpuRatio.toFixed(2),
      bar: bar === undefined ? "" : `≥ ${bar}: ${cpuRatio >= bar ? "kept" : "MISSED"}`,
    };
  });
  console.table(rows);
  console.log(`ratios: ${first?.name} against the row, median of ${rounds} rounds\n`);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the value at this share of the sorted values, without interpolation. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
