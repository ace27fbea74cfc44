import type { Scan } from "../scan.ts";

/**
 * Remembers which sums have seen values of 10^10 or above. Sums of smaller values take half the time,
 * so each sum starts as such, and stays wide for the life of the process once its statement has failed.
 */
export interface WideSums {
  has(scan: Scan): boolean;
  add(scans: readonly Scan[]): void;
}

/** Beyond this number the known sums are cleared, and found again. */
const maxKnown = 1_000;

export function createWideSums(): WideSums {
  const known = new Set<string>();
  return {
    has: (scan) => sumsOf(scan).some((sum) => known.has(sum)),
    add(scans) {
      const added = scans.flatMap(sumsOf).filter((sum) => !known.has(sum));
      if (known.size + added.length > maxKnown) known.clear();
      for (const sum of added) known.add(sum);
    },
  };
}

function sumsOf({ projectId, measures }: Scan): readonly string[] {
  return measures.flatMap(({ aggregate }) =>
    aggregate.kind === "sum" ? [JSON.stringify([projectId, aggregate.of])] : [],
  );
}
