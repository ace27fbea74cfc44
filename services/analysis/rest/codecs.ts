import type { DescMessage, JsonObject, Message } from "@bufbuild/protobuf";
import {
  type AnalyzeEventsResponse,
  AnalyzeEventsResponseSchema,
  type DownloadEventsResponse,
  DownloadEventsResponseSchema,
  type DownloadEventUsersResponse,
  DownloadEventUsersResponseSchema,
  type ListEventUsersResponse,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../gen/engage/analysis/v1/query_pb.ts";
import { answerBytesOf } from "./answer-bytes.ts";
import { writeEventsCsv, writeUsersCsv } from "./csv.ts";
import type { ValueStyle } from "./fast-format.ts";
import { decodeQueryBody, type QueryBody } from "./query-body.ts";
import * as schemas from "./schemas.ts";
import { writeAnalysis } from "./write-analysis.ts";
import { writeUsers } from "./write-users.ts";

/** The REST form of one message type, as the gateway takes it. */
export interface AnalysisJsonCodec {
  readonly decode?: (body: QueryBody) => Message;
  readonly encode?: (message: Message, answer: { readonly request: Message }) => string | Uint8Array;
  readonly contentType?: string;
  readonly schema?: JsonObject;
}

const csvType = "text/csv; charset=utf-8";

/** The REST forms that differ from proto3 JSON, by the full name of the message type. */
export function createAnalysisCodecs(style: ValueStyle): ReadonlyMap<string, AnalysisJsonCodec> {
  const query = (desc: DescMessage, schema: JsonObject): [string, AnalysisJsonCodec] => [
    desc.typeName,
    { decode: (body) => decodeQueryBody(desc, body), schema },
  ];
  const analysis: AnalysisJsonCodec = {
    encode: (message) =>
      answerBytesOf(message) ?? join(writeAnalysis(message as AnalyzeEventsResponse, style)),
    schema: schemas.analysisAnswer,
  };
  const users: AnalysisJsonCodec = {
    encode: (message) => answerBytesOf(message) ?? join(writeUsers(message as ListEventUsersResponse)),
    schema: schemas.usersAnswer,
  };
  const eventsCsv: AnalysisJsonCodec = {
    encode: (message, answer) => writeEventsCsv(message as DownloadEventsResponse, answer, style),
    contentType: csvType,
    schema: schemas.csvFile,
  };
  const usersCsv: AnalysisJsonCodec = {
    encode: (message) => writeUsersCsv(message as DownloadEventUsersResponse),
    contentType: csvType,
    schema: schemas.csvFile,
  };
  return new Map([
    query(EventQuerySchema, schemas.eventQuery),
    query(EventDownloadQuerySchema, schemas.eventDownloadQuery),
    query(EventUserQuerySchema, schemas.eventUserQuery),
    query(EventUserDownloadQuerySchema, schemas.eventUserDownloadQuery),
    [AnalyzeEventsResponseSchema.typeName, analysis],
    [ListEventUsersResponseSchema.typeName, users],
    [DownloadEventsResponseSchema.typeName, eventsCsv],
    [DownloadEventUsersResponseSchema.typeName, usersCsv],
  ]);
}

function join(parts: Iterable<string>): string {
  let text = "";
  for (const part of parts) text += part;
  return text;
}
