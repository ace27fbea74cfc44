import { create, type JsonObject } from "@bufbuild/protobuf";
import { encodeAttachedBytes, type RestCodec, type RestCodecs } from "../../base/rpc/rest-codec.ts";
import { ReportClickRequestSchema } from "../../gen/engage/webhook/v1/click_pb.ts";
import {
  ReceiveRequestSchema,
  ReceiveResponseSchema,
} from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type DecodeJson, decodeClickRequest } from "./clicks/codec.ts";

const text: JsonObject = { type: "string" };
const params: JsonObject = {
  type: "object",
  additionalProperties: {
    anyOf: [text, { type: "array", items: { type: "object", additionalProperties: text } }],
  },
};

const requestSchema: JsonObject = {
  type: "array",
  description: "One message for one user each.",
  items: {
    type: "object",
    required: ["push_id", "#ops_receipt_properties"],
    properties: {
      push_id: { type: "string", minLength: 1 },
      params,
      custom_params: params,
      "#ops_receipt_properties": { type: "object" },
    },
  },
};

const failedElement: JsonObject = {
  type: "object",
  required: ["index", "message"],
  properties: { index: { type: "integer", minimum: 1 }, message: text },
};

const responseSchema: JsonObject = {
  type: "object",
  required: ["return_code"],
  properties: {
    return_code: { type: "integer", enum: [0, 1] },
    return_message: text,
    data: { type: "object", properties: { fail_list: { type: "array", items: failedElement } } },
  },
};

/**
 * The REST forms that differ from proto3 JSON. A batch is not parsed here: its
 * bytes reach the handler as the raw body, and the handler attaches the stored
 * bytes of the reply. A click report keeps the bytes of its receipt.
 */
export function createWebhookCodecs(decodeJson: DecodeJson): RestCodecs {
  return new Map<string, RestCodec>([
    [
      ReceiveRequestSchema.typeName,
      {
        decode: () => ({ message: create(ReceiveRequestSchema) }),
        readsRaw: true,
        schema: requestSchema,
      },
    ],
    [ReceiveResponseSchema.typeName, { encode: encodeAttachedBytes, schema: responseSchema }],
    [
      ReportClickRequestSchema.typeName,
      { decode: ({ raw }) => ({ message: decodeClickRequest(raw, decodeJson) }), readsRaw: true },
    ],
  ]);
}
