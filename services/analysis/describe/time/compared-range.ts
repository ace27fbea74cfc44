import { wordOf, wordsOf } from "../../../../base/protobuf/enum-words.ts";
import { type EventView, TimeParticleSizeSchema } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { DescribeContext } from "../context.ts";
import { type Problems, warnNoEffect } from "../problems.ts";
import { type Period, planPeriod } from "./period.ts";
import { resolveRange, type WrittenRange } from "./range.ts";

/**
 * Resolves the range of a query and, with `comparedByTime`, the compared range, and divides both into steps. The
 * compared range has fields of its own; both follow the same rules (`range.ts`), in the zone of the query and with the
 * same steps (`period.ts`).
 * @returns the period of the query and the compared one, if any; undefined when one was refused
 */
export function describePeriods(view: EventView, context: DescribeContext): readonly Period[] | undefined {
  const { problems, today, zone } = context;
  const unit = view.timeParticleSize;
  const unitField = "eventView.timeParticleSize";
  const isUnit = wordOf(TimeParticleSizeSchema, unit) !== undefined;
  if (!isUnit) problems.refuseWord(unitField, unit, wordsOf(TimeParticleSizeSchema));
  const written = (recentDay: string, start: string, end: string, prefix: (name: string) => string) => ({
    recentDay: { field: `eventView.${prefix("RecentDay")}`, text: recentDay },
    start: { field: `eventView.${prefix("StartTime")}`, text: start },
    end: { field: `eventView.${prefix("EndTime")}`, text: end },
  });
  const own = written(
    view.recentDay,
    view.startTime,
    view.endTime,
    (name) => name[0]!.toLowerCase() + name.slice(1),
  );
  const { comparedRecentDay, comparedStartTime, comparedEndTime } = view;
  const compared = written(
    comparedRecentDay,
    comparedStartTime,
    comparedEndTime,
    (name) => `compared${name}`,
  );
  if (!view.comparedByTime) warnOfUnused(compared, problems);
  const ranges = (view.comparedByTime ? [own, compared] : [own]).map((range) =>
    resolveRange(range, today, problems),
  );
  const steps = { unit, weekStart: today.weekStart, zone };
  const periods = ranges.map((range) =>
    range && isUnit ? planPeriod(range, steps, unitField, problems) : undefined,
  );
  return periods.includes(undefined) ? undefined : (periods as readonly Period[]);
}

function warnOfUnused(range: WrittenRange, problems: Problems): void {
  for (const { field, text } of Object.values(range)) {
    if (text !== "") warnNoEffect(problems, field, "has no effect without comparedByTime");
  }
}
