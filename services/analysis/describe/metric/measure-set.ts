import type { Measure } from "../../../../store/events/events.ts";
import type { Window } from "../time/window.ts";

/** A pass over the events that computes measures of the same keys and buckets. */
export interface PlannedScan {
  readonly isSplit: boolean;
  readonly window: Window | undefined;
  readonly measures: readonly Measure[];
}

/** The indexes of a scan and of a measure in it. */
export interface MeasureRef {
  readonly scan: number;
  readonly measure: number;
}

/** Collects the measures of all metrics: equal measures are computed once, and measures share scans where possible. */
export interface MeasureSet {
  add(scan: ScanKey, measure: Measure): MeasureRef;
  find(scan: ScanKey, measure: Measure): MeasureRef | undefined;
  /** Returns the index of the scan for measures of this kind. */
  scanOf(scan: ScanKey): number;
  readonly scans: readonly PlannedScan[];
}

export type ScanKey = Pick<PlannedScan, "isSplit" | "window">;

export function createMeasureSet(): MeasureSet {
  const scans: { isSplit: boolean; window: Window | undefined; measures: Measure[] }[] = [];
  const scanIndexes = new Map<string, number>();
  const measureIndexes = new Map<string, number>();
  const keyOf = createStructuralKey();
  const scanOf = ({ isSplit, window }: ScanKey): number => {
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

/**
 * Creates a function from parts of plans to texts that are equal for equal parts. Reads each object once, even if many
 * parts share it. Tables of texts, which may be long, are equal only to themselves.
 */
export function createStructuralKey(): (part: unknown) => string {
  const numbers = new Map<object, number>();
  const numbersByText = new Map<string, number>();
  const numberOf = (value: object): number => {
    const known = numbers.get(value);
    if (known !== undefined) return known;
    const text = value instanceof Map ? `table ${numbers.size}` : textOf(value);
    const number = numbersByText.get(text) ?? numbersByText.size;
    numbersByText.set(text, number);
    numbers.set(value, number);
    return number;
  };
  const keyOf = (part: unknown): string => {
    if (typeof part === "object" && part !== null) return `#${numberOf(part)}`;
    return typeof part === "string" ? JSON.stringify(part) : String(part);
  };
  const textOf = (value: object): string => {
    if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${name}:${keyOf(member)}`).join()}}`;
  };
  return keyOf;
}
