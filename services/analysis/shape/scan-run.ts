import type { EventStore, KeyValue, Measure, ScanCells, ScanResult } from "../../../store/events/events.ts";
import { compileScan, type EventPlan, keysOf } from "../describe/event-plan.ts";
import type { PlannedScan } from "../describe/metric/measure-set.ts";
import type { Period } from "../describe/time/period.ts";

/** One planned scan over one period, with its result. */
export interface ScanRun {
  readonly planned: PlannedScan;
  readonly buckets: number;
  readonly groups: readonly (readonly KeyValue[])[];
  /** Totals by measure and group; empty if groups are not ordered. */
  readonly totals: readonly Float64Array[];
  readonly result: ScanResult;
}

/**
 * Runs all scans of a plan on the same state of the store, by period and scan. Their results are held until the stack
 * is disposed of.
 */
export async function runScans(
  plan: EventPlan,
  store: EventStore,
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<readonly (readonly ScanRun[])[]> {
  const scans = plan.periods.flatMap((period) =>
    plan.scans.map((planned) => compileScan(plan, planned, period)),
  );
  const results = await store.scanAll(scans, signal);
  for (const result of results) held.use(result);
  const readRun = async (period: Period, planned: PlannedScan, index: number): Promise<ScanRun> => {
    const [scan, result] = [scans[index]!, results[index]!];
    const isOrdered = keysOf(plan, planned).length > 0;
    const totals = scan.totals ? result.groups.totals : isOrdered ? (await result.cells()).values : [];
    return { planned, buckets: period.buckets.length, groups: result.groups.keys, totals, result };
  };
  const runs: ScanRun[][] = [];
  for (const [nth, period] of plan.periods.entries()) {
    const own: ScanRun[] = [];
    for (const [i, planned] of plan.scans.entries()) {
      own.push(await readRun(period, planned, nth * plan.scans.length + i));
    }
    runs.push(own);
  }
  return runs;
}

/** Returns the value of a measure without events: 0 for counts, NaN for others. */
export function emptyValue({ aggregate: { kind } }: Measure): number {
  return kind === "count" || kind === "distinct" || kind === "values" ? 0 : Number.NaN;
}

/** The most numbers of one run that are held at once, which take 32 MB. */
const maxHeldNumbers = 4_000_000;

/** Returns the cells of some groups of a run. Groups that are read often are fetched once if there are not too many. */
export interface CellReader {
  read(
    groups: readonly number[],
  ): Promise<{ readonly cells: ScanCells; readonly rowOf: (group: number) => number }>;
}

/** @param wanted the groups that will be read, in ascending order */
export function createCellReader(run: ScanRun, wanted: readonly number[]): CellReader {
  const perGroup = run.buckets * run.planned.measures.length;
  const fetch = async (groups: readonly number[]) => {
    const rows = new Map(groups.map((group, row) => [group, row]));
    return { cells: await run.result.cells(groups), rowOf: (group: number) => rows.get(group)! };
  };
  if (wanted.length * perGroup > maxHeldNumbers) return { read: fetch };
  const fetchAll = async () => {
    const rows = new Uint32Array(run.groups.length);
    for (let row = 0; row < wanted.length; row++) rows[wanted[row]!] = row;
    return { cells: await run.result.cells(wanted), rowOf: (group: number) => rows[group]! };
  };
  let held: ReturnType<typeof fetchAll> | undefined;
  return {
    read() {
      held ??= fetchAll();
      return held;
    },
  };
}
