import { create, type JsonObject, type Message } from "@bufbuild/protobuf";
import { ReportClickRequestSchema } from "../../gen/engage/webhook/v1/click_pb.ts";
import {
  ReceiveRequestSchema,
  type ReceiveResponse,
  ReceiveResponseSchema,
} from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type DecodeJson, decodeClickRequest } from "./clicks/codec.ts";

/** The REST form of one message type, as the gateway takes it. */
export interface WebhookJsonCodec {
  readonly decode?: (body: { readonly raw: Buffer }) => Message;
  readonly encode?: (message: Message) => string | Uint8Array;
  readonly schema?: JsonObject;
}

const replyBytes = new WeakMap<Message, Uint8Array>();

/** Remembers the bytes that a response is to be sent as. */
export function keepReplyBytes(response: ReceiveResponse, bytes: Uint8Array): ReceiveResponse {
  replyBytes.set(response, bytes);
  return response;
}

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
 * bytes reach the handler as the raw body, and replies leave as the bytes that
 * are stored. A click report keeps the bytes of its receipt.
 */
export function createWebhookCodecs(decodeJson: DecodeJson): ReadonlyMap<string, WebhookJsonCodec> {
  return new Map<string, WebhookJsonCodec>([
    [ReceiveRequestSchema.typeName, { decode: () => create(ReceiveRequestSchema), schema: requestSchema }],
    [ReceiveResponseSchema.typeName, { encode: encodeResponse, schema: responseSchema }],
    [ReportClickRequestSchema.typeName, { decode: ({ raw }) => decodeClickRequest(raw, decodeJson) }],
  ]);
}

function encodeResponse(message: Message): Uint8Array {
  const bytes = replyBytes.get(message);
  if (bytes === undefined) throw new Error("this response was not made for REST");
  return bytes;
}
