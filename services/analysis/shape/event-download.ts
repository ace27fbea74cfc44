import { create } from "@bufbuild/protobuf";
import {
  type DownloadEventsResponse,
  DownloadEventsResponseSchema,
  EventTableHeaderSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ColumnSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { shapeBuckets, shapeInfo } from "./answer-info.ts";
import { createEntryReader } from "./entries.ts";
import { type RankedAnswer, shapeHeading } from "./ranked-answer.ts";

/** The header, then all groups of each result in their order. */
export async function* shapeDownload(answer: RankedAnswer): AsyncGenerator<DownloadEventsResponse> {
  const { results } = answer;
  yield create(DownloadEventsResponseSchema, { content: { case: "header", value: shapeHeader(answer) } });
  const read = createEntryReader(answer, results);
  for (const result of results) {
    for await (const entries of read(result)) {
      const value = { ...shapeHeading(answer, result), entries };
      yield create(DownloadEventsResponseSchema, { content: { case: "rows", value } });
    }
  }
}

function shapeHeader({ plan }: RankedAnswer) {
  return create(EventTableHeaderSchema, {
    groupColumns: plan.keys.map(({ name, displayName }) => create(ColumnSchema, { name, displayName })),
    x: shapeBuckets(plan.periods[0]),
    xCompared: shapeBuckets(plan.periods[1]),
    info: shapeInfo(plan),
  });
}
