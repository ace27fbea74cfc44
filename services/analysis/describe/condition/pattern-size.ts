import { Comparator, type Filter, FilterType } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import type { AnyQuery } from "../../engine.ts";

/** An escape in braces, such as `\p{Greek}` and `\x{10FFFF}`. */
const bracedEscape = /\\[pPx]\{[^}]*\}/y;
const quoted = /\\Q([\s\S]*?)(?:\\E|$)/y;
const charClass = /\[\^?\]?(?:\[:\^?\w+:\]|\\[pPx]\{[^}]*\}|\\[\s\S]|[^\]\\])*\]?/y;
const repetition = /\{(\d{1,9})(?:(,)(\d{0,9}))?\}/y;

/**
 * Estimates the steps of a pattern with its repetitions written out, as engines compile it: a pattern of 1,000
 * characters can have a million steps, which take seconds to compile. Accepts invalid patterns too.
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
      // Each optional repetition needs a step to skip it.
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
  /** Path in REST names. */
  readonly field: string;
  readonly pattern: string;
}

/** Finds the largest regular expression of a query; undefined when only definitions of the project have some. */
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
