import type { JsonObject } from "@bufbuild/protobuf";
import type { RestCodec, RestCodecs } from "../../base/rpc/rest-codec.ts";
import {
  type CheckAppidResponse,
  CheckAppidResponseSchema,
  type DebugIngestResponse,
  DebugIngestResponseSchema,
  type GetConfigResponse,
  GetConfigResponseSchema,
  type HealthCheckResponse,
  HealthCheckResponseSchema,
  type IngestedRecord,
  type IngestResponse,
  IngestResponseSchema,
} from "../../gen/engage/event/v1/ingest_pb.ts";
import { dropReasonName, refusalReasonName } from "./results.ts";

const integer: JsonObject = { type: "integer" };
const text: JsonObject = { type: "string" };
const objects: JsonObject = { type: "array", items: { type: "object" } };
const coded: JsonObject = { type: "object", required: ["code"], properties: { code: integer, msg: text } };

/** What SDKs expect: members in lower case or their own, and none that say nothing. */
export const eventCodecs: RestCodecs = new Map<string, RestCodec>([
  [
    IngestResponseSchema.typeName,
    { encode: (message) => encodeIngest(message as IngestResponse), schema: withMember("records", objects) },
  ],
  [
    DebugIngestResponseSchema.typeName,
    {
      encode: (message) => encodeDebug(message as DebugIngestResponse),
      schema: {
        type: "object",
        required: ["errorLevel"],
        properties: {
          errorLevel: integer,
          errorProperties: objects,
          errorReasons: { type: "array", items: text },
        },
      },
    },
  ],
  [
    GetConfigResponseSchema.typeName,
    {
      encode: (message) => encodeConfig(message as GetConfigResponse),
      schema: withMember("data", { type: "object" }),
    },
  ],
  [
    CheckAppidResponseSchema.typeName,
    { encode: (message) => encodeCode(message as CheckAppidResponse), schema: coded },
  ],
  [
    HealthCheckResponseSchema.typeName,
    { encode: (message) => JSON.stringify({ code: (message as HealthCheckResponse).code }), schema: coded },
  ],
]);

function withMember(name: string, schema: JsonObject): JsonObject {
  return { ...coded, properties: { code: integer, msg: text, [name]: schema } };
}

function encodeIngest({ code, msg, records }: IngestResponse): string {
  if (code === 0 && msg === "" && records.length === 0) return '{"code":0}';
  return JSON.stringify({
    code,
    ...(msg !== "" && { msg }),
    ...(records.length > 0 && { records: records.map(noteOf) }),
  });
}

function noteOf({ index, result }: IngestedRecord): JsonObject {
  const outcome = result?.outcome;
  if (outcome?.case === "refused") {
    const { reason, field, message } = outcome.value;
    return { index, reason: refusalReasonName(reason), field, message };
  }
  const dropped = outcome?.case === "accepted" ? outcome.value.dropped : [];
  return {
    index,
    dropped: dropped.map(({ name, reason, message }) => ({
      name,
      reason: dropReasonName(reason),
      ...(message !== "" && { message }),
    })),
  };
}

function encodeDebug({ errorLevel, errorProperties, errorReasons }: DebugIngestResponse): string {
  const properties = errorProperties.map(({ name, reason, message }) => ({
    propertyName: name,
    errorReason: dropReasonName(reason),
    ...(message !== "" && { errorMessage: message }),
  }));
  return JSON.stringify({
    errorLevel,
    ...(properties.length > 0 && { errorProperties: properties }),
    ...(errorReasons.length > 0 && { errorReasons }),
  });
}

function encodeConfig({ code, msg, syncInterval, syncBatchSize }: GetConfigResponse): string {
  if (code !== 0) return JSON.stringify({ code, msg });
  return JSON.stringify({ code, data: { sync_interval: syncInterval, sync_batch_size: syncBatchSize } });
}

function encodeCode({ code, msg }: CheckAppidResponse): string {
  return JSON.stringify(msg === "" ? { code } : { code, msg });
}
