import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AnalyzeEventsResponse } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { ValueFormat } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type {
  EventAnalysis,
  GroupEntry,
  MetricResult,
  Series,
  TimeBucket,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import { formatFast, type ValueStyle } from "./fast-format.ts";
import { labelsOf, writeInfo, writeLocalTime } from "./result-text.ts";

/** Writes the start of both kinds of responses. */
export function writeHead(returnCode: number | undefined, returnMessage: string): string {
  return `{"return_code":${returnCode ?? 0},"return_message":${JSON.stringify(returnMessage)},"data":`;
}

/**
 * Writes the platform's form of a result in pieces of at most one group, so that the writer of a large result can yield
 * to the event loop.
 */
export function* writeAnalysis(response: AnalyzeEventsResponse, style: ValueStyle): Generator<string> {
  const { returnCode, returnMessage, data } = response;
  yield writeHead(returnCode, returnMessage);
  if (data === undefined) {
    yield "null}";
    return;
  }
  yield writeAxes(data);
  yield* writeGroups(data);
  yield `],"union_group_num":${data.unionGroupNum},"y":[`;
  for (const [i, metric] of data.y.entries()) {
    yield `${i === 0 ? "" : ","}{${JSON.stringify(metric.resultKey)}:[`;
    yield* writeEntries(metric, style);
    yield "]}";
  }
  yield `]${writeInfo(data.info)}}}`;
}

function writeAxes({ resultGenerateTime, x, xCompared, info }: EventAnalysis): string {
  const time =
    resultGenerateTime === undefined
      ? ""
      : `"result_generate_time":"${writeLocalTime(timestampMs(resultGenerateTime), info?.zone)}",`;
  const compared = xCompared.length === 0 ? "" : `"x_compared":${writeLabels(xCompared)},`;
  return `{${time}"x":${writeLabels(x)},${compared}"union_groups":[`;
}

function writeLabels(buckets: readonly TimeBucket[]): string {
  return JSON.stringify(buckets.map(({ label }) => label));
}

function* writeGroups({ unionGroups }: EventAnalysis): Generator<string> {
  for (const [i, { groupCols }] of unionGroups.entries()) {
    yield `${i === 0 ? "" : ","}${JSON.stringify(labelsOf(groupCols))}`;
  }
}

function* writeEntries({ entries, groupNum, format }: MetricResult, style: ValueStyle): Generator<string> {
  for (const [i, entry] of entries.entries()) {
    yield (i === 0 ? "" : ",") + writeEntry(entry, groupNum, format, style);
  }
}

function writeEntry(
  { groupCols, values, valuesCompared }: GroupEntry,
  groupNum: number,
  format: ValueFormat,
  style: ValueStyle,
): string {
  const head = `{"group_cols":${JSON.stringify(labelsOf(groupCols))},"group_num":${groupNum}`;
  const compared =
    valuesCompared === undefined ? "" : `,"values_compared":${writeSeries(valuesCompared, format, style)}`;
  return `${head},"values":${writeSeries(values, format, style)}${compared}}`;
}

/** Writes numbers; none has a character that JSON escapes. */
function writeSeries(series: Series | undefined, format: ValueFormat, style: ValueStyle): string {
  const numbers = series?.numbers ?? [];
  let text = "[";
  for (let i = 0; i < numbers.length; i++) {
    text += `${i === 0 ? '"' : ',"'}${formatFast(numbers[i] as number, format, style)}"`;
  }
  return `${text}]`;
}
