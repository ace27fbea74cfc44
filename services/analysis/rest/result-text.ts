import { formatSecond } from "../../../base/time/local-time.ts";
import { hourMs } from "../../../base/time/units.ts";
import { configuredZone, type Zone } from "../../../base/time/zone.ts";
import type {
  AnswerInfo,
  GroupValue,
  ResolvedRange,
  Zone as ResultZone,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import { overallLabel, writeLabel } from "../text-form.ts";

/** Writes the members of a result's info, which are in `data` with the others; each begins with a comma. */
export function writeInfo(info: AnswerInfo | undefined): string {
  if (info === undefined) return "";
  const { range, comparedRange, zone, cached, approximate, truncated, warnings } = info;
  const members: readonly (readonly [name: string, value: unknown])[] = [
    ["range", range && rangeOf(range)],
    ["compared_range", comparedRange && rangeOf(comparedRange)],
    ["zone", zone?.zone.value],
    ["cached", cached || undefined],
    ["approximate", approximate || undefined],
    ["truncated", truncated || undefined],
    ["warnings", warnings.length > 0 ? warnings.map(({ message }) => message) : undefined],
  ];
  return members
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join("");
}

function rangeOf({ startTime, endTime }: ResolvedRange) {
  return { start_time: startTime, end_time: endTime };
}

/** Returns the labels of a group; a result without groups has one label. */
export function labelsOf(groupCols: readonly GroupValue[]): readonly string[] {
  return groupCols.length === 0 ? [overallLabel] : groupCols.map(labelOf);
}

export function labelOf({ value }: GroupValue): string {
  return writeLabel(value.case === "label" ? value.value : undefined);
}

const zones = new Map<string, Zone>();

/** Writes an instant as `yyyy-MM-dd HH:mm:ss` in the zone of a result, and in UTC without one. */
export function writeLocalTime(instantMs: number, resultZone: ResultZone | undefined): string {
  const place = resultZone?.zone;
  if (place?.case !== "name") return formatSecond(instantMs + (place?.value ?? 0) * hourMs);
  let zone = zones.get(place.value);
  if (zone === undefined) {
    zone = configuredZone(place.value);
    zones.set(place.value, zone);
  }
  return formatSecond(instantMs + zone.offsetAt(instantMs));
}
