import type { EventStore, Scan } from "../../../store/events/events.ts";

/** The numbers of a scan by group: each measure's total and buckets. */
export type Numbers = ReadonlyMap<string, readonly number[]>;

/** Groups whose numbers are read together. */
const groupsPerRead = 1_000;
/** Sums of floats differ in their last digits when rows are added in another order. */
const tolerance = 1e-12;

export async function readNumbers(
  store: Pick<EventStore, "scan">,
  scan: Scan,
  signal: AbortSignal,
): Promise<Numbers> {
  await using result = await store.scan(scan, signal);
  const { keys, totals } = result.groups;
  const numbers = new Map<string, readonly number[]>();
  const buckets = scan.buckets.localEdges.length - 1;
  for (let from = 0; from < keys.length; from += groupsPerRead) {
    const groups = Array.from({ length: Math.min(groupsPerRead, keys.length - from) }, (_, at) => from + at);
    const { values } = await result.cells(groups);
    for (const [at, group] of groups.entries()) {
      const own = scan.measures.flatMap((_measure, measure) => [
        totals[measure]?.[group] ?? Number.NaN,
        ...values[measure]!.subarray(at * buckets, (at + 1) * buckets),
      ]);
      numbers.set(JSON.stringify(keys[group]), own);
    }
  }
  return numbers;
}

/** Compares to 12 digits. NaN stands for no value. */
export function isSame(a: number, b: number): boolean {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b);
  return Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}
