import { reachOf } from "./analyze.ts";
import { floorTo, parseTime, type WeekStart } from "./calendar.ts";
import { readList, readObject, readText, readWhole } from "./form.ts";
import { groupsOf } from "./groups.ts";
import type { ReferenceData } from "./ingest.ts";
import { type Period, type Prepared, prepare } from "./prepare.ts";
import { Refused } from "./refused.ts";
import { toLocal } from "./zone.ts";

const ungrouped = new Set(["", "Overall", "总体"]);

/** Returns the ids of the users of one number, ascending. @throws Refused */
export function listUsers(data: ReferenceData, nowMs: number, body: unknown): readonly number[] {
  const prepared = prepare(data, nowMs, body);
  const request = readObject(body, "body");
  const index = readWhole(request, "eventIndex", "eventIndex", 0, prepared.metrics.length - 1);
  if (index === undefined) throw new Refused("eventIndex", "missing");
  if (request["sliceGroupVal"] === undefined) throw new Refused("sliceGroupVal", "missing");
  const given = readList(request, "sliceGroupVal", "sliceGroupVal").map(String);
  const split = prepared.metrics[index]!.split ? prepared.split : undefined;
  const isUngrouped = prepared.keys.length === 0 && ungrouped.has(given[0] ?? "");
  const labels = isUngrouped ? given.slice(1) : given;
  const keys =
    split && labels.length === prepared.keys.length + 1 ? [...prepared.keys, split] : prepared.keys;
  if (labels.length !== keys.length) throw new Refused("sliceGroupVal", "wrong length");
  const group = JSON.stringify(labels.map(readLabel));
  const slice = findSlice(
    prepared,
    readText(request, "sliceDate", "sliceDate") ?? readText(request, "eventDate", "eventDate"),
    data.project.weekStart,
  );
  if (slice === undefined) return [];
  const { period, bucket } = slice;
  const users = new Set<number>();
  for (const operand of prepared.metrics[index]!.operands) {
    const reach = reachOf(operand, period);
    const reaches = bucket === undefined ? reach.whole : reach.buckets[bucket]!;
    for (const event of data.events) {
      if (!reaches(event.time, toLocal(prepared.zone, event.time))) continue;
      if (!prepared.filter(event) || !operand.holds(event)) continue;
      const groups = groupsOf(keys, event);
      if (groups.some((one) => JSON.stringify(one) === group)) users.add(event.userId);
    }
  }
  return [...users].sort((a, b) => a - b);
}

/** As clients post it; null is the group without values. */
function readLabel(text: string): string | null {
  if (text === "(null)") return null;
  return /^\\+\(null\)$/.test(text) ? text.slice(1) : text;
}

interface Slice {
  readonly period: Period;
  /** Undefined: all of them. */
  readonly bucket: number | undefined;
}

/** Returns undefined if the result has no such bucket, and therefore no users in it. */
function findSlice(
  { periods, unit }: Prepared,
  text: string | undefined,
  weekStart: WeekStart,
): Slice | undefined {
  const whole = { period: periods[0]!, bucket: undefined };
  if (text === undefined) return whole;
  if (unit === "total") {
    const named = periods.find(({ buckets }) => buckets[0]!.label === text);
    if (named) return { period: named, bucket: undefined };
    if (startOf(text) !== undefined || /^[^~]{10}~[^~]{10}$/.test(text)) return whole;
    throw new Refused("sliceDate", `no time: ${text}`);
  }
  const shortest = { year: 4, month: 7, quarter: 7, day: 10, week: 10 }[unit as string] ?? 16;
  const start = startOf(text);
  if (start === undefined || text.length < shortest || floorTo(unit, weekStart, start) !== start) {
    throw new Refused("sliceDate", `no bucket: ${text}`);
  }
  for (const period of periods) {
    const bucket = period.buckets.findIndex(({ startMs }) => startMs === start);
    if (bucket >= 0) return { period, bucket };
  }
  return undefined;
}

/** Returns the start of a year, month, day, minute, second or millisecond. */
function startOf(text: string): number | undefined {
  if (![4, 7, 10, 16, 19, 23].includes(text.length)) return undefined;
  return parseTime(text + "....-01-01 00:00:00".slice(text.length))?.ms;
}
