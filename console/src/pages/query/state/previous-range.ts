import type { JsonTree } from "../../../controls/json-tree.ts";
import { withText } from "../../../filters/edits.ts";
import { textAt, withValue, wordTree } from "../../../filters/tree.ts";
import { isoDayOf } from "../../../texts/iso-day.ts";
import { comparedRange, dayOf, mainRange, type RangePlaces } from "./days.ts";

const dayMs = 86_400_000;

/** Returns the relative range of the same length before a relative one; undefined where there is none. */
export function previousRange(recentDay: string): string | undefined {
  if (recentDay === "W0") return "W1";
  if (recentDay === "M0") return "M1";
  const [, near, far] = /^(\d{1,5})-(\d{1,5})$/.exec(recentDay) ?? [];
  if (near === undefined || far === undefined) return undefined;
  // The last days begin with today, which is no day before it.
  const [first, last] = near === "0" ? [0, Number(far) - 1] : [Number(near), Number(far)];
  const length = last - first + 1;
  return length < 1 ? undefined : `${last + 1}-${last + length}`;
}

/** Compares with the days before the present range, or ends that. */
export function withComparison(tree: JsonTree, isOn: boolean): JsonTree {
  const place = ["eventView", "comparedByTime"];
  if (!isOn) return withValue(tree, place, undefined)!;
  const on = withValue(tree, place, wordTree(true))!;
  const isGiven = textAt(tree, comparedRange.recentDay) !== "" || textAt(tree, comparedRange.start) !== "";
  if (isGiven) return on;
  const recentDay = previousRange(textAt(tree, mainRange.recentDay));
  if (recentDay !== undefined) return withText(on, comparedRange.recentDay, recentDay);
  const days = previousDays(tree, mainRange);
  if (days === undefined) return withText(on, comparedRange.recentDay, "8-14");
  const withStart = withText(on, comparedRange.start, days.start);
  return withText(withStart, comparedRange.end, days.end);
}

function previousDays(
  tree: JsonTree,
  { start, end }: RangePlaces,
): { readonly start: string; readonly end: string } | undefined {
  const [from, to] = [start, end].map((place) => Date.parse(dayOf(textAt(tree, place))));
  if (from === undefined || to === undefined || !(from <= to)) return undefined;
  return { start: isoDayOf(from - (to - from) - dayMs), end: isoDayOf(from - dayMs) };
}
