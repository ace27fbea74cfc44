import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { exactCountOf } from "../../../base/text/count.ts";
import {
  type EventAnalysis,
  EventAnalysisSchema,
  GroupSchema,
  type MetricResult,
  type Warning,
  WarningReason,
  WarningSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { EventPlan } from "../describe/event-plan.ts";
import { maxAnswerValues, maxSplitResults } from "../describe/limits.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import { shapeBuckets, shapeInfo } from "./answer-info.ts";
import { createEntryReader, numbersPerEntry } from "./entries.ts";
import type { RankedMetric } from "./metric-groups.ts";
import { type RankedAnswer, shapeHeading } from "./ranked-answer.ts";

/** A whole answer. @param limit most groups of each result. @throws AnalysisRefusal when it would be too large */
export async function shapeAnalysis(
  answer: RankedAnswer,
  limit: number,
  nowMs: number,
): Promise<EventAnalysis> {
  const { plan } = answer;
  const kept = keepSplits(answer.results);
  const cut = kept.map((result) => ({ ...result, groups: result.groups.slice(0, limit) }));
  refuseTooLarge(answer, cut);
  const read = createEntryReader(answer, cut);
  const y: MetricResult[] = [];
  for (const [i, result] of cut.entries()) {
    const heading = shapeHeading(answer, kept[i]!);
    for await (const entries of read(result)) heading.entries.push(...entries);
    y.push(heading);
  }
  return create(EventAnalysisSchema, {
    resultGenerateTime: timestampFromMs(nowMs),
    unionGroups: unionOf(plan, cut).map((group) => create(GroupSchema, { groupCols: answer.colsOf(group) })),
    unionGroupNum: unionOf(plan, kept).length,
    x: shapeBuckets(plan.periods[0]),
    xCompared: shapeBuckets(plan.periods[1]),
    y,
    info: shapeInfo(plan, truncations(answer.results, kept, limit)),
  });
}

/** Of each metric those values of the split that come first. */
function keepSplits(results: readonly RankedMetric[]): readonly RankedMetric[] {
  const seen = new Map<number, number>();
  return results.filter(({ metric }) => {
    const before = seen.get(metric.index) ?? 0;
    seen.set(metric.index, before + 1);
    return before < maxSplitResults;
  });
}

/** Without keys there is one group, also when a split has no results. */
function unionOf({ keys }: EventPlan, results: readonly RankedMetric[]): readonly number[] {
  if (keys.length === 0) return [0];
  const union = new Set<number>();
  for (const { groups } of results) for (const group of groups) union.add(group);
  return [...union];
}

function refuseTooLarge(answer: RankedAnswer, results: readonly RankedMetric[]): void {
  const entries = results.reduce((sum, { groups }) => sum + groups.length, 0);
  const numbers = entries * numbersPerEntry(answer);
  if (numbers <= maxAnswerValues) return;
  const description = `the result would have ${numbers} values, at most ${maxAnswerValues} are possible; ask for fewer groups, metrics or steps, or download it`;
  throw new AnalysisRefusal(returnCodes.parameter, `limit: ${description}`, {
    violations: [{ field: "limit", description }],
  });
}

function truncations(
  all: readonly RankedMetric[],
  kept: readonly RankedMetric[],
  limit: number,
): readonly Warning[] {
  const warn = (field: string, message: string) =>
    create(WarningSchema, { reason: WarningReason.TRUNCATED, field, message });
  const cut = kept.filter(({ groups }) => groups.length > limit);
  const warnings = cut.map(({ metric, groups }) =>
    warn(
      "limit",
      `limit ${limit} omitted ${groups.length - limit} of ${exactCountOf(groups.length, "group")} of events[${metric.index}]`,
    ),
  );
  if (kept.length < all.length) {
    const rest = all.length - kept.length;
    warnings.push(
      warn(
        "eventView.eventSplit",
        `only ${maxSplitResults} values of the split are returned for each metric, ${rest} are omitted`,
      ),
    );
  }
  return warnings;
}
