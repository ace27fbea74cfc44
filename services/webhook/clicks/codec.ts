import type { DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describeJsonExcess, findJsonExcess, type JsonBounds } from "../../../base/json/bounds.ts";
import { JsonCursor, readValue } from "../../../base/json/cursor.ts";
import { parseExactJson } from "../../../base/json/exact-numbers.ts";
import { JsonFault } from "../../../base/json/fault.ts";
import { asBuffer } from "../../../base/json/utf8.ts";
import { InvalidFieldsError, refuseField } from "../../../base/rpc/invalid-fields.ts";
import { invalidArgument } from "../../../base/rpc/map-errors.ts";
import { withoutByteOrderMark } from "../../../base/text/byte-order-mark.ts";
import {
  type ReportClickRequest,
  ReportClickRequestSchema,
} from "../../../gen/engage/webhook/v1/click_pb.ts";

const maxDepth = 64;

/** Limits of a report. Receipts and properties of records have at most some hundreds of members. */
const bounds: JsonBounds = {
  depth: maxDepth,
  members: 10_000,
  elements: 100_000,
  keys: 100_000,
  keyBytes: 4_096,
  values: 200_000,
  longNumbers: 200_000,
};

/** Members whose bytes are copied to a field. */
const rawFields: ReadonlyMap<string, "rawReceipt" | "rawProperties"> = new Map([
  ["#ops_receipt_properties", "rawReceipt"],
  ["ops_receipt_properties", "rawReceipt"],
  ["properties", "rawProperties"],
]);

/** Reads proto3 JSON. @throws ConnectError with a BadRequest that names fields by their path after `at` */
export type DecodeJson = (desc: DescMessage, json: JsonValue, at: string) => Message;

/**
 * Decodes a click report of REST: proto3 JSON, but receipt and properties are copied from the body byte for byte.
 * @throws ConnectError INVALID_ARGUMENT
 */
export function decodeClickRequest(sent: Buffer, decodeJson: DecodeJson): ReportClickRequest {
  const body = withoutByteOrderMark(sent);
  try {
    const excess = findJsonExcess(body, bounds);
    if (excess !== undefined) refuseField("body", describeJsonExcess(excess));
    const { kind, start, end } = readValue(body, maxDepth);
    if (kind !== "object") refuseField("body", "must be an object");
    return readMembers(asBuffer(body.subarray(start, end)), decodeJson);
  } catch (error) {
    if (error instanceof InvalidFieldsError) throw invalidArgument(error);
    if (!(error instanceof JsonFault)) throw error;
    throw new ConnectError(`body is not valid JSON: ${error.message}`, Code.InvalidArgument);
  }
}

function readMembers(body: Buffer, decodeJson: DecodeJson): ReportClickRequest {
  const cursor = new JsonCursor(body, maxDepth);
  const plain = new Map<string, JsonValue>();
  const raw: { rawReceipt?: Uint8Array; rawProperties?: Uint8Array } = {};
  for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
    const name = cursor.key();
    const start = cursor.at;
    const kind = cursor.value();
    const field = rawFields.get(name);
    if (field === undefined)
      plain.set(name, parseExactJson(body.toString("utf8", start, cursor.at)) as JsonValue);
    else if (kind !== "null") raw[field] = body.subarray(start, cursor.at);
  }
  const request = decodeJson(ReportClickRequestSchema, Object.fromEntries(plain), "") as ReportClickRequest;
  return Object.assign(request, raw);
}
