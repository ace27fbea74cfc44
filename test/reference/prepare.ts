import { type Bucket, type LocalRange, listBuckets, timeUnits } from "./calendar.ts";
import { type Condition, compileFilters } from "./filters.ts";
import {
  type Json,
  member,
  needText,
  needWord,
  readBoolean,
  readList,
  readNumber,
  readObject,
  readObjects,
  readWhole,
} from "./form.ts";
import { type Key, readKey, readKeys } from "./groups.ts";
import type { ReferenceData, ReferenceEvent } from "./ingest.ts";
import { type Metric, readMetric } from "./metrics.ts";
import { createContext, readRange } from "./query.ts";
import { Refused } from "./refused.ts";
import { toInstant, toLocal, type Zone, zoneOf } from "./zone.ts";

export interface Period {
  readonly range: LocalRange;
  readonly buckets: readonly Bucket[];
  /** Instants, the end not included. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface Prepared {
  readonly zone: Zone;
  readonly unit: (typeof timeUnits)[number];
  /** The range, and where it compares the other one. */
  readonly periods: readonly Period[];
  readonly keys: readonly Key[];
  readonly split: Key | undefined;
  readonly metrics: readonly Metric[];
  readonly filter: Condition;
  readonly limit: number;
}

/** Reads a request as a client posts it. @throws Refused */
export function prepare(data: ReferenceData, nowMs: number, body: unknown): Prepared {
  const request = readObject(body, "body");
  readProjectId(request);
  const limit = readWhole(request, "limit", "limit", 1, 10_000) ?? 1000;
  const timeout = readNumber(request, "timeoutSeconds", "timeoutSeconds");
  if (timeout !== undefined && timeout <= 0) throw new Refused("timeoutSeconds", "not above 0");
  const zone = zoneOf(readZone(request) ?? data.project.zone);
  const context = createContext(data, zone, nowMs);
  const view = readObject(request["eventView"], "eventView");
  const unit = needWord(view, "timeParticleSize", "eventView.timeParticleSize", timeUnits);
  const compares = readBoolean(view, "comparedByTime", "eventView.comparedByTime");
  const periods = (compares ? [false, true] : [false]).map((compared) => {
    const range = readRange(view, context, compared);
    return {
      range,
      buckets: listBuckets(
        unit,
        data.project.weekStart,
        range,
        (localMs) => toLocal(zone, toInstant(zone, localMs)) === localMs,
      ),
      startMs: toInstant(zone, range.startMs),
      endMs: toInstant(zone, range.endMs),
    };
  });
  const filter = compileFilters(view, "eventView", context);
  const metrics = readObjects(request, "events", "events").map((metric, at) =>
    readMetric(metric, `events[${at}]`, context),
  );
  if (metrics.length === 0) throw new Refused("events", "empty");
  const eventsOf = (): readonly ReferenceEvent[] => eventsIn(data, periods, metrics, filter);
  const keys = readKeys(
    readList(view, "groupBy", "eventView.groupBy"),
    "eventView.groupBy",
    context,
    eventsOf,
  );
  const split = readSplit(view);
  return {
    zone,
    unit,
    periods,
    keys,
    split: split && readKey(split, "eventView.eventSplit.groupByProp", context, eventsOf),
    metrics,
    filter,
    limit,
  };
}

function readProjectId(request: Json): void {
  const id = member(request, "projectId");
  if (!/^[1-9]\d{0,15}$/.test(String(id)) || (typeof id !== "string" && typeof id !== "number")) {
    throw new Refused("projectId", `no id: ${id}`);
  }
}

function readZone(request: Json): number | undefined {
  const zone = readNumber(request, "zoneOffset", "zoneOffset");
  if (zone !== undefined && (zone < -12 || zone > 14)) throw new Refused("zoneOffset", `not a zone: ${zone}`);
  return zone;
}

function readSplit(view: Json): Json | undefined {
  const given = member(view, "eventSplit");
  if (given === undefined) return undefined;
  const split = readObject(given, "eventView.eventSplit");
  if (Object.keys(split).length === 0) return undefined;
  const event = readObject(split["event"], "eventView.eventSplit.event");
  needText(event, "eventName", "eventView.eventSplit.event.eventName");
  return readObject(split["groupByProp"], "eventView.eventSplit.groupByProp");
}

function eventsIn(
  data: ReferenceData,
  periods: readonly Period[],
  metrics: readonly Metric[],
  filter: Condition,
): readonly ReferenceEvent[] {
  return data.events.filter(
    (event) =>
      periods.some(({ startMs, endMs }) => event.time >= startMs && event.time < endMs) &&
      filter(event) &&
      metrics.some((metric) => metric.operands.some((operand) => operand.holds(event))),
  );
}
