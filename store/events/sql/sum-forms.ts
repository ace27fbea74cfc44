import type { Scan } from "../scan.ts";

/**
 * How sums are computed. Each form accepts more values than the one before, and takes longer: `decimal` those that are
 * decimal numbers with up to six places, `split` all below 10^10, `wide` all.
 */
export type SumForm = "decimal" | "split" | "wide";

const nextForms = { decimal: "split", split: "wide", wide: "wide" } as const satisfies Record<
  SumForm,
  SumForm
>;

/**
 * Remembers the form that each sum needs. A sum starts in the fastest one, and has the next for the life of the process
 * once its statement has failed.
 */
export interface SumForms {
  /** Returns the form of the sums of a scan. */
  of(scan: Scan): SumForm;
  /** Returns the form to run scans in after a statement failed in one, and remembers it. */
  next(scans: readonly Scan[], failed: SumForm): SumForm;
}

/** Beyond this number the known sums are cleared, and found again. */
const maxKnown = 1_000;

/** @param first the fastest form that the engine has */
export function createSumForms(first: SumForm): SumForms {
  const known = new Map<string, SumForm>();
  return {
    of(scan) {
      const forms = sumsOf(scan).map((sum) => known.get(sum));
      return (["wide", "split"] as const).find((form) => forms.includes(form)) ?? first;
    },
    next(scans, failed) {
      const form = nextForms[failed];
      const raised = scans.flatMap(sumsOf).filter((sum) => known.get(sum) !== "wide");
      if (known.size + raised.length > maxKnown) known.clear();
      for (const sum of raised) known.set(sum, form);
      return form;
    },
  };
}

function sumsOf({ projectId, measures }: Scan): readonly string[] {
  return measures.flatMap(({ aggregate }) =>
    aggregate.kind === "sum" ? [JSON.stringify([projectId, aggregate.of])] : [],
  );
}
