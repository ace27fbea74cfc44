import { create } from "@bufbuild/protobuf";
import { NullValue, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { formatSecond } from "../../../base/time/local-time.ts";
import {
  type AnswerInfo,
  AnswerInfoSchema,
  type GroupValue,
  GroupValueSchema,
  type ResolvedRange,
  ResolvedRangeSchema,
  type TimeBucket,
  TimeBucketSchema,
  type Warning,
  type Zone,
  ZoneSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { KeyValue } from "../../../store/events/events.ts";
import type { EventPlan } from "../describe/event-plan.ts";
import type { Period } from "../describe/time/period.ts";
import type { QueryZone } from "../describe/time/zone.ts";
import { type KeyForm, labelOf } from "../text-form.ts";

/** Describes what was resolved. @param truncations what limits have left out, one warning each */
export function shapeInfo(
  { periods, zone, warnings }: EventPlan,
  truncations: readonly Warning[] = [],
): AnswerInfo {
  const [range, compared] = periods.map(shapeRange);
  return create(AnswerInfoSchema, {
    ...(range === undefined ? {} : { range }),
    ...(compared === undefined ? {} : { comparedRange: compared }),
    zone: shapeZone(zone),
    truncated: truncations.length > 0,
    warnings: [...warnings, ...truncations],
  });
}

function shapeRange({ range, startMs, endMs }: Period): ResolvedRange {
  return create(ResolvedRangeSchema, {
    startTime: formatSecond(range.startMs),
    endTime: formatSecond(range.endMs - 1),
    start: timestampFromMs(startMs),
    end: timestampFromMs(endMs),
  });
}

function shapeZone({ name }: QueryZone): Zone {
  return create(ZoneSchema, {
    zone:
      "iana" in name ? { case: "name", value: name.iana } : { case: "offsetHours", value: name.offsetHours },
  });
}

export function shapeBuckets(period: Period | undefined): TimeBucket[] {
  return (period?.buckets ?? []).map(({ label, startMs, endMs }) =>
    create(TimeBucketSchema, { label, start: timestampFromMs(startMs), end: timestampFromMs(endMs) }),
  );
}

export function shapeGroupValue(form: KeyForm, value: KeyValue): GroupValue {
  const label = labelOf(form, value);
  return create(GroupValueSchema, {
    value:
      label === undefined
        ? { case: "nullValue", value: NullValue.NULL_VALUE }
        : { case: "label", value: label },
  });
}
