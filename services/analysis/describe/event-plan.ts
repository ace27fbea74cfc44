import type { Trace } from "../../../base/trace/trace.ts";
import type { EventMetric, ValueFormat } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { Warning } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { Scan } from "../../../store/events/events.ts";
import type { PlannedKey } from "./group-by.ts";
import type { PlannedScan } from "./metric/measure-set.ts";
import type { Computation, OperandEvents } from "./metric/operand.ts";
import type { Presence } from "./metric/presence.ts";
import type { Period } from "./time/period.ts";
import { overlappingBuckets, windowedBuckets } from "./time/window.ts";
import { type QueryZone, stepsWithin } from "./time/zone.ts";

export interface PlannedMetric {
  /** Index in the query. */
  readonly index: number;
  readonly uuid: string;
  readonly resultKey: string;
  readonly displayName: string;
  readonly format: ValueFormat;
  readonly isSplit: boolean;
  readonly computation: Computation;
  readonly operands: readonly OperandEvents[];
  /** Its groups are those in which any of these holds; empty without keys. */
  readonly presence: readonly Presence[];
}

/** Everything that has to be computed for one query. */
export interface EventPlan {
  readonly projectId: number;
  readonly caller: string | undefined;
  readonly trace?: Trace | undefined;
  readonly zone: QueryZone;
  /** The range of the query, then the compared range. */
  readonly periods: readonly Period[];
  readonly keys: readonly PlannedKey[];
  readonly split: PlannedKey | undefined;
  readonly metrics: readonly PlannedMetric[];
  readonly scans: readonly PlannedScan[];
  /** Whether local times of properties are read, which may be far outside of the ranges. */
  readonly readsLocalProperties: boolean;
  readonly warnings: readonly Warning[];
}

/** Returns the keys of a planned scan; the key of the split is last. */
export function keysOf(plan: EventPlan, { isSplit }: Pick<PlannedScan, "isSplit">): readonly PlannedKey[] {
  return isSplit && plan.split !== undefined ? [...plan.keys, plan.split] : plan.keys;
}

/** Compiles a planned scan over one period for the store. */
export function compileScan(plan: EventPlan, planned: PlannedScan, period: Period): Scan {
  const buckets = windowedBuckets(period, planned.window, plan.zone);
  const keys = keysOf(plan, planned).map(({ key }) => key);
  return {
    projectId: plan.projectId,
    caller: plan.caller,
    trace: plan.trace,
    zone: zoneSteps(plan, buckets),
    buckets,
    keys,
    measures: planned.measures,
    // Groups are ordered by totals. With one bucket its values are the totals.
    totals: keys.length > 0 && period.buckets.length > 1,
  };
}

/** Compiles the scan over the events of all periods and metrics, whose numbers are divided into intervals. */
export function compileSummaryScan(plan: EventPlan): Scan {
  const buckets = overlappingBuckets(
    plan.periods.map(({ range }) => range),
    plan.zone,
  );
  const measures = plan.metrics
    .flatMap(({ operands }) => operands)
    .map(({ events, where }) => ({ events, where, aggregate: { kind: "count" } as const }));
  return {
    projectId: plan.projectId,
    caller: plan.caller,
    trace: plan.trace,
    zone: zoneSteps(plan, buckets),
    buckets,
    keys: [],
    measures,
    totals: false,
  };
}

export function zoneSteps(
  { zone, readsLocalProperties }: Pick<EventPlan, "zone" | "readsLocalProperties">,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Scan["zone"] {
  return readsLocalProperties ? zone.steps : stepsWithin(zone.steps, startMs, endMs);
}

/** Returns the display name of a metric. */
export function displayNameOf({ eventNameDisplay }: EventMetric, resultKey: string): string {
  return eventNameDisplay || resultKey;
}
