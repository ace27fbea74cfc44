import {
  type AnswerInfo,
  type ResolvedRange,
  type Warning,
  WarningReason,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import { ToolError } from "../tool.ts";

/** The most warnings of an output. */
const maxWarnings = 10;

/** Returns how a query was resolved: what a model must say beside the numbers. */
export function factsOf(info: AnswerInfo | undefined): Record<string, unknown> {
  if (info === undefined) return {};
  const { range, comparedRange, zone, approximate, cached, warnings } = info;
  return {
    range: rangeOf(range),
    ...(comparedRange !== undefined && { compared_range: rangeOf(comparedRange) }),
    zone: zone?.zone.value,
    ...(approximate && { approximate }),
    ...(cached && { cached }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, maxWarnings).map(({ message }) => message) }),
  };
}

function rangeOf(range: ResolvedRange | undefined) {
  return range && { start_time: range.startTime, end_time: range.endTime };
}

/**
 * Refuses a query with a name that the project does not have, which would count nothing: a model takes the zero for a
 * result. The warnings list the valid names.
 * @throws ToolError
 */
export function refuseUnknownNames(warnings: readonly Warning[]): void {
  const unknown = warnings.filter(({ reason }) => reason === WarningReason.UNKNOWN_NAME);
  if (unknown.length === 0) return;
  throw new ToolError(
    unknown
      .slice(0, maxWarnings)
      .map(({ message }) => message)
      .join("; "),
  );
}
