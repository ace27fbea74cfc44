import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { encodeAttachedBytes, type RestCodec, type RestCodecs } from "../../../base/rpc/rest-codec.ts";
import {
  AnalyzeEventsResponseSchema,
  type DownloadEventsResponse,
  DownloadEventsResponseSchema,
  type DownloadEventUsersResponse,
  DownloadEventUsersResponseSchema,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../gen/engage/analysis/v1/query_pb.ts";
import { writeEventsCsv, writeUsersCsv } from "./csv.ts";
import type { ValueStyle } from "./fast-format.ts";
import { decodeQueryBody } from "./query-body.ts";
import * as schemas from "./schemas.ts";

const csvType = "text/csv; charset=utf-8";

/**
 * The REST forms that differ from proto3 JSON. Results and user lists are written
 * by the handler, which does it in pieces, and attached to their responses.
 *
 * `query-body.ts` and `decode-message.ts` read queries; `write-analysis.ts`, `write-users.ts` and `csv.ts` write
 * results; `schemas.ts` describes both for OpenAPI.
 */
export function createAnalysisCodecs(style: ValueStyle): RestCodecs {
  const query = (desc: DescMessage, schema: JsonObject): [string, RestCodec] => [
    desc.typeName,
    { decode: (body) => decodeQueryBody(desc, body), schema },
  ];
  const analysis: RestCodec = { encode: encodeAttachedBytes, schema: schemas.analysisResponse };
  const users: RestCodec = { encode: encodeAttachedBytes, schema: schemas.usersResponse };
  const eventsCsv: RestCodec = {
    encode: (message, response) => writeEventsCsv(message as DownloadEventsResponse, response, style),
    contentType: csvType,
    schema: schemas.csvFile,
  };
  const usersCsv: RestCodec = {
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
