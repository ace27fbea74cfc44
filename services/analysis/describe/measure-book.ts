import type { Measure } from "../../../store/events/events.ts";
import type { Window } from "./window.ts";

/** What one pass over the events computes: measures of the same keys and buckets. */
export interface PlannedScan {
  readonly isSplit: boolean;
  readonly window: Window | undefined;
  readonly measures: readonly Measure[];
}

/** A measure of a scan, both by their indexes. */
export interface MeasureRef {
  readonly scan: number;
  readonly measure: number;
}

/** Collects the measures of all metrics: equal ones are computed once, and those that can be share a scan. */
export interface MeasureBook {
  add(scan: ScanKind, measure: Measure): MeasureRef;
  find(scan: ScanKind, measure: Measure): MeasureRef | undefined;
  /** Index of the scan for this kind of measures. */
  scanOf(scan: ScanKind): number;
  readonly scans: readonly PlannedScan[];
}

export type ScanKind = Pick<PlannedScan, "isSplit" | "window">;

export function createMeasureBook(): MeasureBook {
  const scans: { isSplit: boolean; window: Window | undefined; measures: Measure[] }[] = [];
  const scanIndexes = new Map<string, number>();
  const measureIndexes = new Map<string, number>();
  const keyOf = createStructuralKey();
  const scanOf = ({ isSplit, window }: ScanKind): number => {
    const key = `${isSplit} ${window?.id ?? ""}`;
    let scan = scanIndexes.get(key);
    if (scan === undefined) {
      scan = scans.push({ isSplit, window, measures: [] }) - 1;
      scanIndexes.set(key, scan);
    }
    return scan;
  };
  return {
    scans,
    scanOf,
    find(kind, wanted) {
      const scan = scanOf(kind);
      const measure = measureIndexes.get(`${scan} ${keyOf(wanted)}`);
      return measure === undefined ? undefined : { scan, measure };
    },
    add(kind, wanted) {
      const scan = scanOf(kind);
      const key = `${scan} ${keyOf(wanted)}`;
      const measure = measureIndexes.get(key) ?? scans[scan]!.measures.push(wanted) - 1;
      measureIndexes.set(key, measure);
      return { scan, measure };
    },
  };
}

/** Text that is equal for parts of plans that are. Tables of texts are told apart by who they are, since they may be long. */
export function createStructuralKey(): (part: unknown) => string {
  const maps = new Map<unknown, number>();
  return (part) =>
    JSON.stringify(part, (_, value: unknown) => {
      if (!(value instanceof Map)) return value;
      maps.set(value, maps.get(value) ?? maps.size);
      return `map ${maps.get(value)}`;
    });
}
