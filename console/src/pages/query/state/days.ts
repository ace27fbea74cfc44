import type { JsonTree } from "../../../controls/json-tree.ts";
import { type Place, textAt } from "../../../filters/tree.ts";

/** Relative ranges that the form offers; others are typed. */
export const relativeRanges = [
  "0-1",
  "1-1",
  "1-7",
  "0-7",
  "1-14",
  "1-30",
  "0-30",
  "1-90",
  "W0",
  "W1",
  "M0",
  "M1",
] as const;

export type RangeChoice = (typeof relativeRanges)[number] | "StartToNow" | "days" | "typed";

/** The members of a range: those of the query's own, and those of the comparison. */
export interface RangePlaces {
  readonly recentDay: Place;
  readonly start: Place;
  readonly end: Place;
}

export const mainRange: RangePlaces = {
  recentDay: ["eventView", "recentDay"],
  start: ["eventView", "startTime"],
  end: ["eventView", "endTime"],
};

export const comparedRange: RangePlaces = {
  recentDay: ["eventView", "comparedRecentDay"],
  start: ["eventView", "comparedStartTime"],
  end: ["eventView", "comparedEndTime"],
};

/** Returns what the form shows for a range; `days` stands for a first and a last day. */
export function rangeChoiceOf(tree: JsonTree, { recentDay }: RangePlaces): RangeChoice {
  const text = textAt(tree, recentDay);
  if (text === "") return "days";
  if (text === "StartToNow") return text;
  return relativeRanges.find((one) => one === text) ?? "typed";
}

/** Returns the day of a time, for a field of days: `2026-11-20 08:00:00` gives `2026-11-20`. */
export function dayOf(time: string): string {
  return /^\d{4}-\d\d-\d\d/.exec(time)?.[0] ?? "";
}

/** Reports whether a range begins or ends within a day, which a field of days cannot show. */
export function hasTimes(tree: JsonTree, { start, end }: RangePlaces): boolean {
  const [from, to] = [textAt(tree, start), textAt(tree, end)];
  return (
    !/^(?:\d{4}-\d\d-\d\d(?: 00:00:00)?)?$/.test(from) || !/^(?:\d{4}-\d\d-\d\d(?: 23:59:59)?)?$/.test(to)
  );
}
