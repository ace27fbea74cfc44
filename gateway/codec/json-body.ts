import { type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import type { JsonBounds } from "../../base/json/bounds.ts";
import type { UnknownMembers } from "../rest/json-message.ts";
import { parseJsonText, readJsonText } from "../rest/json-text.ts";
import { createJsonCodec } from "./json.ts";

export interface JsonBody {
  readonly message: Message;
  /** As it came, without a byte order mark. */
  readonly text: string;
}

/**
 * A reader of JSON bodies of one message type. Throws INVALID_ARGUMENT with a
 * violation for each bad field.
 */
export function createJsonBodyReader(
  desc: DescMessage,
  bounds: JsonBounds,
  unknown: UnknownMembers,
): (body: Buffer) => JsonBody {
  const { decode } = createJsonCodec(desc, unknown);
  const isExact = hasLongs(desc);
  return (body) => {
    const text = readJsonText(body, bounds);
    return { message: decode(parseJsonText(text, isExact)), text };
  };
}

const longTypes: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.SINT64,
  ScalarType.SFIXED64,
  ScalarType.UINT64,
  ScalarType.FIXED64,
]);

/** Whether a message can hold an integer that JSON.parse would round. */
export function hasLongs(desc: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (seen.has(desc)) return false;
  seen.add(desc);
  return desc.fields.some(
    ({ scalar, message }) =>
      (scalar !== undefined && longTypes.has(scalar)) || (message !== undefined && hasLongs(message, seen)),
  );
}
