import { type Bucket, dayMs, dayOf, floorTo, type LocalRange } from "./calendar.ts";
import { type Json, needWord, readList, readObjects, readWhole, toWhole } from "./form.ts";
import type { QueryContext } from "./query.ts";
import { Refused } from "./refused.ts";

/** The days, seen from the first moment of a bucket's day; the last day is included. */
export type Window = (day: number) => { readonly firstDay: number; readonly lastDay: number };

const kinds = ["LAST_DAYS", "RECENT_DAYS", "THIS_WEEK", "THIS_MONTH", "TIME_RANGE"] as const;
const arity = { LAST_DAYS: 1, RECENT_DAYS: 1, THIS_WEEK: 0, THIS_MONTH: 0, TIME_RANGE: 2 } as const;

/** Reads the windows by operand. */
export function readWindows(metric: Json, field: string, context: QueryContext): Map<number, Window> {
  const found = new Map<number, Window>();
  for (const [at, entry] of readObjects(metric, "quotaTimeRanges", `${field}.quotaTimeRanges`).entries()) {
    const path = `${field}.quotaTimeRanges[${at}]`;
    const index = readWhole(entry, "index", `${path}.index`, 0, 1000);
    if (index === undefined) throw new Refused(`${path}.index`, "missing");
    const kind = needWord(entry, "type", `${path}.type`, kinds);
    const params = readList(entry, "params", `${path}.params`).map((value) => {
      const number = toWhole(String(value));
      if (number === undefined) throw new Refused(`${path}.params`, `no whole number: ${value}`);
      return number;
    });
    if (params.length !== arity[kind]) throw new Refused(`${path}.params`, `${kind} takes ${arity[kind]}`);
    found.set(index, windowOf(kind, params, `${path}.params`, context));
  }
  return found;
}

function windowOf(
  kind: (typeof kinds)[number],
  [first, second]: readonly number[],
  field: string,
  context: QueryContext,
): Window {
  if ((kind === "LAST_DAYS" || kind === "RECENT_DAYS") && first! < 1) {
    throw new Refused(field, `below 1: ${first}`);
  }
  if (kind === "TIME_RANGE" && first! > second!) throw new Refused(field, "ends before it starts");
  return (day) => {
    switch (kind) {
      case "LAST_DAYS":
        return { firstDay: day - first! * dayMs, lastDay: day - dayMs };
      case "RECENT_DAYS":
        return { firstDay: day - (first! - 1) * dayMs, lastDay: day };
      case "THIS_WEEK":
        return { firstDay: floorTo("week", context.weekStart, day), lastDay: day };
      case "THIS_MONTH":
        return { firstDay: floorTo("month", context.weekStart, day), lastDay: day };
      case "TIME_RANGE":
        return { firstDay: day + first! * dayMs, lastDay: day + second! * dayMs };
    }
  };
}

/** The stretch of local time that a bucket's operand looks at. */
export function applyWindow(window: Window, bucket: Bucket, range: LocalRange): LocalRange {
  const day = dayOf(Math.min(bucket.endMs, range.endMs) - 1);
  const { firstDay, lastDay } = window(day);
  return { startMs: firstDay, endMs: lastDay + dayMs };
}
