import { Comparator, type Filter, FilterType } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import type { AnyQuery } from "../../engine.ts";

/** Of the members of an escape in braces, such as `\p{Greek}` and `\x{10FFFF}`. */
const bracedEscape = /\\[pPx]\{[^}]*\}/y;
const quoted = /\\Q([\s\S]*?)(?:\\E|$)/y;
const charClass = /\[\^?\]?(?:\[:\^?\w+:\]|\\[pPx]\{[^}]*\}|\\[\s\S]|[^\]\\])*\]?/y;
const repetition = /\{(\d{1,9})(?:(,)(\d{0,9}))?\}/y;

/**
 * About how many steps a pattern is with its repetitions written out, as
 * engines do: a pattern of 1,000 characters can have a million, which take
 * seconds to compile. Reads what is no valid pattern too.
 */
export function patternSize(pattern: string): number {
  const groups: number[] = [];
  let size = 0;
  let atom = 0;
  const add = (steps: number): void => {
    atom = steps;
    size += steps;
  };
  for (let at = 0; at < pattern.length; ) {
    const match = (form: RegExp): RegExpExecArray | null => {
      form.lastIndex = at;
      return form.exec(pattern);
    };
    const char = pattern[at]!;
    let found = char === "\\" ? (match(quoted) ?? match(bracedEscape)) : null;
    if (char === "[") found = match(charClass);
    const count = char === "{" ? match(repetition) : null;
    if (count !== null) {
      const [, least = "", isRange, most] = count;
      const times = Math.max(1, Number(least), Number(most ?? 0));
      // Each that may be missing needs a step to pass it by.
      const repeated = (atom + (isRange === undefined ? 0 : 1)) * times;
      size += repeated - atom;
      atom = repeated;
    } else if (char === "(") {
      groups.push(size);
      size = 2;
    } else if (char === ")") {
      const inner = size;
      size = groups.pop() ?? 0;
      add(inner);
    } else if (found?.[1] !== undefined) add(found[1].length);
    else add(1);
    at += count?.[0].length ?? found?.[0].length ?? (char === "\\" ? 2 : 1);
  }
  return groups.reduce((sum, outer) => sum + outer, size);
}

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
