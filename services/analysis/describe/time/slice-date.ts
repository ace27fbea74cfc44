import { quote, quoteList } from "../../../../base/text/quote.ts";
import { parseDate, parseLocalTime } from "../../../../base/time/local-time.ts";
import { TimeParticleSize } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { EventUserDownloadQuery, EventUserQuery } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { WarningReason } from "../../../../gen/engage/analysis/v1/result_pb.ts";
import { type Problems, warnNoEffect } from "../problems.ts";
import { type CalendarUnit, floorTo, labelOfUnit, type WeekStart } from "./calendar.ts";
import type { Period, PlannedBucket } from "./period.ts";

/** Handling of a date outside of the x axis: a warning and no users, or a refusal. */
export type OutsideAxis = "warn" | "refuse";

/**
 * Returns the steps whose users are requested: all steps of the first range without a label, none for a label outside
 * of the ranges.
 */
export function findBuckets(
  periods: readonly Period[],
  query: EventUserQuery | EventUserDownloadQuery,
  problems: Problems,
  outsideAxis: OutsideAxis = "warn",
): readonly PlannedBucket[] {
  const { field, text } = readDate(query, problems);
  const { buckets, unit, weekStart } = periods[0]!;
  const all = periods.flatMap((period) => period.buckets);
  if (text === "") return buckets;
  const startMs = unit === TimeParticleSize.TOTAL ? undefined : readLabel(text, unit, weekStart);
  const label = startMs === undefined ? text : labelOfUnit(unit as CalendarUnit, startMs);
  const found = all.find((bucket) => bucket.label === label);
  if (found !== undefined) return [found];
  const isStep = startMs !== undefined;
  const isIgnored = unit === TimeParticleSize.TOTAL && isTime(text);
  if (outsideAxis === "refuse" || !(isStep || isIgnored)) {
    problems.refuse(field, text, `must be a label of the x axis: ${listLabels(all.map((one) => one.label))}`);
    return [];
  }
  if (isIgnored) {
    warnNoEffect(problems, field, 'has no effect with the timeParticleSize "total"');
    return buckets;
  }
  const rule = `is not on the x axis, so no users are listed; its labels are ${listLabels(all.map((one) => one.label))}`;
  problems.warn(WarningReason.UNKNOWN_NAME, field, `${field}: ${quote(text)} ${rule}`);
  return [];
}

function readDate(
  query: EventUserQuery | EventUserDownloadQuery,
  problems: Problems,
): { readonly field: string; readonly text: string } {
  const { sliceDate } = query;
  const eventDate = "eventDate" in query ? query.eventDate : "";
  if (sliceDate === "") return { field: eventDate === "" ? "sliceDate" : "eventDate", text: eventDate };
  if (eventDate !== "") warnNoEffect(problems, "eventDate", "has no effect together with sliceDate");
  return { field: "sliceDate", text: sliceDate };
}

const timeForm = /^\d{4}(?:-\d\d(?:-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d{3})?)?)?)?)?$/;
const firstTime = "0000-01-01 00:00:00";

/** Returns the start of the time that a label or a full time names. */
function startOf(text: string): number | undefined {
  if (!timeForm.test(text)) return undefined;
  return parseLocalTime(text + firstTime.slice(text.length));
}

/** Returns the start of a step, also outside of the range; undefined for a text that names no whole step. */
function readLabel(text: string, unit: TimeParticleSize, weekStart: WeekStart): number | undefined {
  const startMs = startOf(text);
  if (startMs === undefined || floorTo(unit as CalendarUnit, weekStart, startMs) !== startMs)
    return undefined;
  return text.length < labelOfUnit(unit as CalendarUnit, startMs).length ? undefined : startMs;
}

function isTime(text: string): boolean {
  const isDay = (part: string) => parseDate(part) !== undefined;
  const days = text.split("~");
  return startOf(text) !== undefined || (days.length === 2 && days.every(isDay));
}

/** Most labels that a message lists. */
const maxListed = 12;

export function listLabels(labels: readonly string[]): string {
  const half = maxListed / 2;
  if (labels.length <= maxListed) return quoteList(labels);
  return `${quoteList(labels.slice(0, half))} … ${quoteList(labels.slice(-half))}`;
}
