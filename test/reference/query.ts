import { dayOf, type LocalRange, type RangeWords, resolveRange, type WeekStart } from "./calendar.ts";
import { type Json, readText } from "./form.ts";
import type { ReferenceData } from "./ingest.ts";
import { toLocal, type Zone } from "./zone.ts";

/** The context for reading each part of a query. */
export interface QueryContext {
  readonly data: ReferenceData;
  readonly zone: Zone;
  readonly weekStart: WeekStart;
  /** First moment of today, local. */
  readonly today: number;
}

export function createContext(data: ReferenceData, zone: Zone, nowMs: number): QueryContext {
  return { data, zone, weekStart: data.project.weekStart, today: dayOf(toLocal(zone, nowMs)) };
}

export function readRange(view: Json, context: QueryContext, compared: boolean): LocalRange {
  const name = (plain: string) => (compared ? `compared${plain[0]!.toUpperCase()}${plain.slice(1)}` : plain);
  const names = {
    recentDay: name("recentDay"),
    startTime: name("startTime"),
    endTime: name("endTime"),
  };
  const words: RangeWords = {
    recentDay: readText(view, names.recentDay, names.recentDay),
    startTime: readText(view, names.startTime, names.startTime),
    endTime: readText(view, names.endTime, names.endTime),
  };
  return resolveRange(words, context.today, context.weekStart, names);
}
