import { create } from "@bufbuild/protobuf";
import {
  type GroupEntry,
  GroupEntrySchema,
  type Series,
  SeriesSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import { evaluate, scansOf } from "./evaluate.ts";
import type { GroupTable } from "./group-table.ts";
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
export function createEntryReader(ranked: RankedResult, results: readonly RankedMetric[]): ReadEntries {
  const { table, runs, colsOf, yieldToEventLoop } = ranked;
  const readers = new Map<ScanRun, CellReader>();
  for (const run of runs.flat()) readers.set(run, createCellReader(run, placesWanted(run, results, table)));
  const atOnce = Math.max(1, Math.floor(maxPieceNumbers / numbersPerEntry(ranked)));
  return async function* (result) {
    for (let from = 0; from < result.groups.length; from += atOnce) {
      const groups = result.groups.slice(from, from + atOnce);
      const values = await readSeries(runs[0]!, 0, { result, groups });
      const compared = runs[1] && (await readSeries(runs[1], 1, { result, groups }));
      yield groups.map((group, i) =>
        create(GroupEntrySchema, {
          groupCols: colsOf(group),
          values: values[i]!,
          ...(compared === undefined ? {} : { valuesCompared: compared[i]! }),
        }),
      );
      await yieldToEventLoop();
    }
  };

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
    return groups.map((_, i) => shapeSeries(numbers, i * buckets, (i + 1) * buckets));
  }
}

interface Piece {
  readonly result: RankedMetric;
  readonly groups: readonly number[];
}

function placesWanted(
  run: ScanRun,
  results: readonly RankedMetric[],
  table: GroupTable,
): ReadonlySet<number> {
  const wanted = new Set<number>();
  for (const { metric, split, groups } of results) {
    if (metric.isSplit !== run.planned.isSplit) continue;
    for (const group of groups) wanted.add(table.place(run, split, group));
  }
  wanted.delete(-1);
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
