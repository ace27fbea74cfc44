import type {
  AnswerInfo,
  GroupValue,
  ResolvedRange,
  Zone,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import { formatSecond, hourMs } from "../local-time.ts";
import { overallLabel, writeLabel } from "../text-form.ts";

/** The members of an answer's info, as they stand beside the others in `data`; each begins with a comma. */
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

/** The labels of a group; a result without groups has one. */
export function labelsOf(groupCols: readonly GroupValue[]): readonly string[] {
  return groupCols.length === 0 ? [overallLabel] : groupCols.map(labelOf);
}

export function labelOf({ value }: GroupValue): string {
  return writeLabel(value.case === "label" ? value.value : undefined);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** An instant as `yyyy-MM-dd HH:mm:ss` in the zone of a result; without one in UTC. */
export function writeLocalTime(instantMs: number, zone: Zone | undefined): string {
  const place = zone?.zone;
  if (place?.case !== "name") return formatSecond(instantMs + (place?.value ?? 0) * hourMs);
  let clock = clocks.get(place.value);
  if (clock === undefined) {
    // Sweden writes times in the order of ISO 8601.
    clock = new Intl.DateTimeFormat("sv-SE", {
      timeZone: place.value,
      dateStyle: "short",
      timeStyle: "medium",
    });
    clocks.set(place.value, clock);
  }
  return clock.format(instantMs);
}
