import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { itemsPerYield, mapYielding } from "../../../base/async/yield.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import {
  type DownloadEventsResponse,
  DownloadEventsResponseSchema,
  EventTableHeaderSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  ColumnSchema,
  type EventAnalysis,
  EventAnalysisSchema,
  GroupSchema,
  type MetricResult,
  type Warning,
  WarningReason,
  WarningSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import { maxResultValues, maxSplitResults } from "../describe/limits.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import { createEntryReader, numbersPerEntry } from "./entries.ts";
import type { RankedMetric } from "./metric-groups.ts";
import { type RankedResult, shapeHeading } from "./ranked-result.ts";
import { shapeBuckets, shapeInfo } from "./result-info.ts";

/**
 * Shapes the whole result of an analysis. @param limit most groups of each metric. @throws AnalysisRefusal when the
 * result would be too large
 *
 * `scan-run.ts` runs the scans of a plan, `group-table.ts` numbers their groups, `metric-groups.ts`, `order-groups.ts`
 * and `ranked-result.ts` order the groups of each metric, `entries.ts` and `evaluate.ts` compute their numbers,
 * `user-list.ts` and `users.ts` shape lists of users.
 */
export async function shapeAnalysis(
  ranked: RankedResult,
  limit: number,
  nowMs: number,
): Promise<EventAnalysis> {
  const { plan, yieldToEventLoop } = ranked;
  const shown = keepSplits(ranked.results);
  const cut = shown.map((result) => ({ ...result, groups: result.groups.slice(0, limit) }));
  refuseTooLarge(ranked, cut);
  const read = await createEntryReader(ranked, cut);
  const y: MetricResult[] = [];
  for (const [i, result] of cut.entries()) {
    const heading = shapeHeading(ranked, shown[i]!);
    for await (const entries of read(result)) heading.entries.push(...entries);
    y.push(heading);
  }
  const shapeGroup = (group: number) => create(GroupSchema, { groupCols: ranked.colsOf(group) });
  return create(EventAnalysisSchema, {
    resultGenerateTime: timestampFromMs(nowMs),
    unionGroups: await mapYielding(await unionOf(ranked, cut), shapeGroup, yieldToEventLoop),
    unionGroupNum: (await unionOf(ranked, shown)).length,
    x: shapeBuckets(plan.periods[0]),
    xCompared: shapeBuckets(plan.periods[1]),
    y,
    info: shapeInfo(plan, truncations(ranked.results, shown, limit)),
  });
}

/** Keeps the first values of the split of each metric. */
function keepSplits(results: readonly RankedMetric[]): readonly RankedMetric[] {
  const seen = new Map<number, number>();
  return results.filter(({ metric }) => {
    const before = seen.get(metric.index) ?? 0;
    seen.set(metric.index, before + 1);
    return before < maxSplitResults;
  });
}

/** Returns the groups of all results; without keys there is one group, also when a split has no results. */
async function unionOf(
  { plan, table, yieldToEventLoop }: RankedResult,
  results: readonly RankedMetric[],
): Promise<readonly number[]> {
  if (plan.keys.length === 0) return [0];
  const union: number[] = [];
  const isInUnion = new Uint8Array(table.groups.length);
  for (const { groups } of results) {
    for (const [i, group] of groups.entries()) {
      if (isInUnion[group] === 0) union.push(group);
      isInUnion[group] = 1;
      if (i % itemsPerYield === 0) await yieldToEventLoop();
    }
  }
  return union;
}

function refuseTooLarge(ranked: RankedResult, results: readonly RankedMetric[]): void {
  const entries = results.reduce((sum, { groups }) => sum + groups.length, 0);
  const numbers = entries * numbersPerEntry(ranked);
  if (numbers <= maxResultValues) return;
  const description = `the result would have ${numbers} values, at most ${maxResultValues} are possible; ask for fewer groups, metrics or steps, or download it`;
  throw new AnalysisRefusal(returnCodes.parameter, `limit: ${description}`, {
    violations: [{ field: "limit", description }],
  });
}

function truncations(
  all: readonly RankedMetric[],
  shown: readonly RankedMetric[],
  limit: number,
): readonly Warning[] {
  const warn = (field: string, message: string) =>
    create(WarningSchema, { reason: WarningReason.TRUNCATED, field, message });
  const cut = shown.filter(({ groups }) => groups.length > limit);
  const warnings = cut.map(({ metric, groups }) =>
    warn(
      "limit",
      `limit ${limit} omitted ${groups.length - limit} of ${exactCountOf(groups.length, "group")} of events[${metric.index}]`,
    ),
  );
  if (shown.length < all.length) {
    const rest = all.length - shown.length;
    warnings.push(
      warn(
        "eventView.eventSplit",
        `only ${maxSplitResults} values of the split are returned for each metric, ${rest} are omitted`,
      ),
    );
  }
  return warnings;
}

/** Shapes a download: the header, then all groups of each result in their order. */
export async function* shapeDownload(ranked: RankedResult): AsyncGenerator<DownloadEventsResponse> {
  const { results } = ranked;
  yield create(DownloadEventsResponseSchema, { content: { case: "header", value: shapeHeader(ranked) } });
  const read = await createEntryReader(ranked, results);
  for (const result of results) {
    for await (const entries of read(result)) {
      const value = { ...shapeHeading(ranked, result), entries };
      yield create(DownloadEventsResponseSchema, { content: { case: "rows", value } });
    }
  }
}

function shapeHeader({ plan }: RankedResult) {
  return create(EventTableHeaderSchema, {
    groupColumns: plan.keys.map(({ name, displayName }) => create(ColumnSchema, { name, displayName })),
    x: shapeBuckets(plan.periods[0]),
    xCompared: shapeBuckets(plan.periods[1]),
    info: shapeInfo(plan),
  });
}
