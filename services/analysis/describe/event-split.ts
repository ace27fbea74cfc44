import { quote } from "../../../base/text/quote.ts";
import type { EventView } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { DescribeContext } from "./context.ts";
import { describeGroupBy, type PlannedKey } from "./group-by.ts";
import { type Problems, warnNoEffect } from "./problems.ts";

const field = "eventView.eventSplit";

/** Describes the key by which metrics are split; undefined without a split and when it was refused. */
export function describeSplit({ eventSplit }: EventView, context: DescribeContext): PlannedKey | undefined {
  if (!isOn(eventSplit)) return undefined;
  const { event, groupByProp } = eventSplit;
  if (!event?.eventName) context.problems.refuse(`${field}.event.eventName`, undefined, "is required");
  if (groupByProp !== undefined) return describeGroupBy(groupByProp, `${field}.groupByProp`, context);
  context.problems.refuse(`${field}.groupByProp`, undefined, "is required");
  return undefined;
}

type Split = NonNullable<EventView["eventSplit"]>;

function isOn(eventSplit: Split | undefined): eventSplit is Split {
  return eventSplit?.event !== undefined || eventSplit?.groupByProp !== undefined;
}

/** A metric with the names of all events that it counts. */
interface SplitMetric {
  readonly splitIndexes: readonly number[];
  readonly eventNames: ReadonlySet<string>;
}

/**
 * Warns of splits without effect. Metrics that name an operand are split as a whole, by the values of their own events.
 */
export function warnOfSplit(
  { eventSplit }: EventView,
  metrics: readonly SplitMetric[],
  problems: Problems,
): void {
  const isSplit = ({ splitIndexes }: SplitMetric) => splitIndexes.length > 0;
  if (!isOn(eventSplit)) {
    for (const [i, metric] of metrics.entries()) {
      if (isSplit(metric)) {
        warnNoEffect(problems, `events[${i}].eventSplitIndexes`, `has no effect without ${field}`);
      }
    }
    return;
  }
  if (!metrics.some(isSplit)) {
    warnNoEffect(problems, field, "has no effect, since no metric has eventSplitIndexes");
    return;
  }
  const { eventName = "" } = eventSplit.event ?? {};
  for (const [i, metric] of metrics.entries()) {
    const isOther = [...metric.eventNames].some((name) => name !== eventName);
    if (!isSplit(metric) || !isOther || eventName === "anyEvent") continue;
    const effect = `${quote(eventName)} has no effect on events[${i}], which is split by its own events`;
    warnNoEffect(problems, `${field}.event.eventName`, effect);
  }
}
