import { create } from "@bufbuild/protobuf";
import { itemsPerYield } from "../../../base/async/yield.ts";
import {
  type GroupEntry,
  GroupEntrySchema,
  type Series,
  SeriesSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import { evaluate, scansOf } from "./evaluate.ts";
import type { RankedMetric } from "./metric-groups.ts";
import type { RankedResult } from "./ranked-result.ts";
import { type CellReader, createCellReader, emptyValue, type ScanRun } from "./scan-run.ts";

/** The most numbers of one piece, which take 400 kB. */
const maxPieceNumbers = 50_000;

/** Returns the number of numbers in an entry of a result, over all periods. */
export function numbersPerEntry({ plan }: RankedResult): number {
  return plan.periods.reduce((sum, { buckets }) => sum + buckets.length, 0);
}

/** Reads the entries of a result in pieces and yields to the event loop between them. */
export type ReadEntries = (result: RankedMetric) => AsyncGenerator<GroupEntry[]>;

/** @param results the results to read, with at most the groups that will be read */
export async function createEntryReader(
  ranked: RankedResult,
  results: readonly RankedMetric[],
): Promise<ReadEntries> {
  const { table, runs, colsOf, yieldToEventLoop } = ranked;
  const readers = new Map<ScanRun, CellReader>();
  for (const run of runs.flat()) {
    readers.set(run, createCellReader(run, await placesWanted(run, results, ranked)));
  }
  const atOnce = Math.max(1, Math.floor(maxPieceNumbers / numbersPerEntry(ranked)));
  return async function* (result) {
    for (let from = 0; from < result.groups.length; from += atOnce) {
      const groups = result.groups.slice(from, from + atOnce);
      const values = await readSeries(runs[0]!, 0, { result, groups });
      const compared = runs[1] && (await readSeries(runs[1], 1, { result, groups }));
      const entries: GroupEntry[] = [];
      for (const [i, group] of groups.entries()) {
        const valuesCompared = compared === undefined ? {} : { valuesCompared: compared(i) };
        const entry = { groupCols: colsOf(group), values: values(i), ...valuesCompared };
        entries.push(create(GroupEntrySchema, entry));
        await yieldToEventLoop();
      }
      yield entries;
    }
  };

  /** Returns what shapes the series of each group of a piece. */
  async function readSeries(own: readonly ScanRun[], period: number, { result, groups }: Piece) {
    const { metric, split } = result;
    const read = new Map<number, Awaited<ReturnType<CellReader["read"]>>>();
    for (const scan of scansOf(metric.computation)) {
      const run = own[scan]!;
      const places = groups.map((group) => table.place(run, split, group)).filter((place) => place >= 0);
      read.set(scan, await readers.get(run)!.read(places));
    }
    const buckets = ranked.plan.periods[period]!.buckets.length;
    const numbers = evaluate(metric.computation, groups.length * buckets, ({ ref }) => {
      const run = own[ref.scan]!;
      const { cells, rowOf } = read.get(ref.scan)!;
      const values = cells.values[ref.measure]!;
      const empty = emptyValue(run.planned.measures[ref.measure]!);
      const found = new Float64Array(groups.length * buckets).fill(empty);
      for (const [i, group] of groups.entries()) {
        const place = table.place(run, split, group);
        if (place < 0) continue;
        const row = rowOf(place);
        found.set(values.subarray(row * buckets, (row + 1) * buckets), i * buckets);
      }
      return found;
    });
    return (i: number) => shapeSeries(numbers, i * buckets, (i + 1) * buckets);
  }
}

interface Piece {
  readonly result: RankedMetric;
  readonly groups: readonly number[];
}

/** Returns the groups of a run's scan that results need, in ascending order. */
async function placesWanted(
  run: ScanRun,
  results: readonly RankedMetric[],
  { table, yieldToEventLoop }: RankedResult,
): Promise<readonly number[]> {
  const isWanted = new Uint8Array(run.groups.length);
  for (const { metric, split, groups } of results) {
    if (metric.isSplit !== run.planned.isSplit) continue;
    for (const [i, group] of groups.entries()) {
      const place = table.place(run, split, group);
      if (place >= 0) isWanted[place] = 1;
      if (i % itemsPerYield === 0) await yieldToEventLoop();
    }
  }
  const wanted: number[] = [];
  for (let place = 0; place < isWanted.length; place++) {
    if (isWanted[place] === 1) wanted.push(place);
    if (place % itemsPerYield === 0) await yieldToEventLoop();
  }
  return wanted;
}

function shapeSeries(all: Float64Array, from: number, to: number): Series {
  const numbers: number[] = [];
  const missing: number[] = [];
  for (let i = from; i < to; i++) {
    const number = all[i]!;
    numbers.push(number);
    if (Number.isNaN(number)) missing.push(i - from);
  }
  return create(SeriesSchema, { numbers, missing });
}
