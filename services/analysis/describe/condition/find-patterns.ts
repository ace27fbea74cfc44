import { Comparator, type Filter, FilterType } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import type { AnyQuery } from "../../engine.ts";
import { patternSize } from "./pattern-size.ts";

interface FoundPattern {
  /** By its REST name. */
  readonly field: string;
  readonly pattern: string;
}

/** The largest regular expression of a query; undefined when there are only those of the project's definitions. */
export function findLargestPattern({
  eventView,
  events,
}: Pick<AnyQuery, "eventView" | "events">): FoundPattern | undefined {
  const all = [
    ...patternsOf(eventView?.filts ?? [], "eventView"),
    ...events.flatMap(({ filts, customFilters }, i) => [
      ...patternsOf(filts, `events[${i}]`),
      ...customFilters.flatMap((own, j) => patternsOf(own.filts, `events[${i}].customFilters[${j}]`)),
    ]),
  ];
  return all.reduce<FoundPattern | undefined>(
    (a, b) => (a !== undefined && patternSize(a.pattern) >= patternSize(b.pattern) ? a : b),
    undefined,
  );
}

const matching: ReadonlySet<Comparator> = new Set([Comparator.REGEX_MATCH, Comparator.NOT_REGEX_MATCH]);

function patternsOf(filts: readonly Filter[], owner: string): readonly FoundPattern[] {
  return filts.flatMap((filter, i) => {
    const field = `${owner}.filts[${i}]`;
    if (filter.filterType === FilterType.COMPOUND) return patternsOf(filter.filts, field);
    return matching.has(filter.comparator)
      ? filter.ftv.map((pattern, at) => ({ field: `${field}.ftv[${at}]`, pattern }))
      : [];
  });
}
