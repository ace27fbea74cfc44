import {
  create,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  toJsonString,
} from "@bufbuild/protobuf";
import { decodeJson, type UnknownMembers } from "../rest/json-message.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { compileJsonWriter } from "./json-write.ts";
import { opaqueFieldOf } from "./opaque.ts";

/** Proto3 JSON of one message type. */
export interface JsonCodec {
  /** Throws INVALID_ARGUMENT on what is not this message. */
  readonly decode: (json: JsonValue) => Message;
  readonly encode: (message: Message) => string;
}

/**
 * The codec for a message type. Messages that only carry opaque bytes are read
 * and written directly: without it their base64 goes through loops in
 * JavaScript, at a tenth of the speed.
 */
export function createJsonCodec(desc: DescMessage, unknown: UnknownMembers = "refuse"): JsonCodec {
  const field = opaqueFieldOf(desc);
  return field === undefined ? generalCodec(desc, unknown) : opaqueCodec(desc, field, unknown);
}

function generalCodec(desc: DescMessage, unknown: UnknownMembers): JsonCodec {
  const write = compileJsonWriter(desc);
  return {
    decode: (json) => decodeJson(desc, json, "", unknown),
    encode: (message) => write(message) ?? toJsonString(desc, message),
  };
}

function opaqueCodec(
  desc: DescMessage,
  { jsonName, localName }: DescField,
  unknown: UnknownMembers,
): JsonCodec {
  const general = generalCodec(desc, unknown);
  const head = `{${JSON.stringify(jsonName)}:"`;
  return {
    decode(json) {
      const text = onlyText(json, jsonName);
      const bytes = text === undefined ? undefined : decodeBase64(text);
      if (bytes === undefined) return general.decode(json);
      const message = create(desc);
      (message as unknown as Record<string, Uint8Array>)[localName] = bytes;
      return message;
    },
    encode(message) {
      const bytes = (message as unknown as Record<string, unknown>)[localName];
      if (!(bytes instanceof Uint8Array) || bytes.length === 0) return general.encode(message);
      return `${head}${encodeBase64(bytes)}"}`;
    },
  };
}

/** The text under this key where it is the only one. */
function onlyText(json: JsonValue, key: string): string | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const keys = Object.keys(json);
  const value = keys.length === 1 && keys[0] === key ? (json as Record<string, JsonValue>)[key] : undefined;
  return typeof value === "string" ? value : undefined;
}
