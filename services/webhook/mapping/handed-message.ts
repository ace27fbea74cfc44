import { create } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { asBuffer } from "../../../base/json/utf8.ts";
import {
  type HandedMessage,
  HandedMessageSchema,
  type MessageBatch,
  MessageBatchSchema,
} from "../../../gen/engage/webhook/v1/batch_pb.ts";
import {
  type ReceiptProperties,
  ReceiptPropertiesSchema,
} from "../../../gen/engage/webhook/v1/message_pb.ts";
import type { HandedBatch } from "../targets/target.ts";
import { compilePaths, jsonAt, locate, textAt } from "./locate.ts";
import { timestampOf } from "./timestamp.ts";

/** Converts a batch to the message for typed consumers. */
export function toMessageBatch(batch: HandedBatch): MessageBatch {
  return create(MessageBatchSchema, {
    batchId: batch.batchId,
    channel: batch.channel,
    target: batch.target,
    requestId: batch.requestId ?? "",
    acceptedTime: timestampOf(batch.acceptedAtMs),
    attempt: batch.attempt,
    messages: batch.elements.map(toHandedMessage),
    replay: batch.replay ?? "",
  });
}

function toHandedMessage(element: HandedBatch["elements"][number]): HandedMessage {
  const { params, customParams } = readParams(element.json);
  return create(HandedMessageSchema, {
    deliveryId: element.deliveryId,
    index: element.index + 1,
    pushId: element.pushId,
    params,
    customParams,
    rawReceipt: element.receipt,
    receipt: readReceipt(element.receipt),
  });
}

export interface Params {
  readonly params: Record<string, Value>;
  readonly customParams: Record<string, Value>;
}

const paramsTree = compilePaths([["params"], ["custom_params"]]);

/** Reads the values of an accepted message. Numbers become strings. */
export function readParams(json: Uint8Array): Params {
  const [params, customParams] = locate(json, paramsTree, 2).map((at) =>
    at?.kind === "object" ? toValues(jsonAt(json, at)) : {},
  );
  return { params: params!, customParams: customParams! };
}

type Rows = readonly Readonly<Record<string, string>>[];

function toValues(json: string): Record<string, Value> {
  const plain: object = JSON.parse(json);
  // Numbers are rare, and a reviver that reads the source of values takes several times as long.
  const object: Readonly<Record<string, string | Rows>> = holdsNumber(plain)
    ? JSON.parse(json, numberAsText)
    : plain;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, toValue(value)]));
}

function holdsNumber(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "number";
  return Object.values(value).some(holdsNumber);
}

function numberAsText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}

function toValue(value: string | Rows): Value {
  if (typeof value === "string") return create(ValueSchema, { kind: { case: "stringValue", value } });
  const values = value.map((row) => {
    const fields = Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, toValue(cell)]));
    return create(ValueSchema, { kind: { case: "structValue", value: { fields } } });
  });
  return create(ValueSchema, { kind: { case: "listValue", value: { values } } });
}

const textFields = ReceiptPropertiesSchema.fields.filter(({ jsonName }) => jsonName !== "ops_project_id");
const receiptTree = compilePaths([
  ["ops_project_id"],
  ...textFields.map(({ jsonName }): readonly string[] => [jsonName]),
]);

/** Reads the known members of a receipt and omits those with another type than specified. */
export function readReceipt(receipt: Uint8Array): ReceiptProperties {
  const bytes = asBuffer(receipt);
  const [projectId, ...texts] = locate(bytes, receiptTree, textFields.length + 1);
  const message = create(ReceiptPropertiesSchema);
  const digits = projectId?.kind === "number" ? jsonAt(bytes, projectId) : "";
  if (/^-?\d{1,19}$/.test(digits) && isInt64(BigInt(digits))) message.opsProjectId = BigInt(digits);
  texts.forEach((at, place) => {
    const { localName } = textFields[place]!;
    if (at?.kind === "string") Object.assign(message, { [localName]: textAt(bytes, at) });
  });
  return message;
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
