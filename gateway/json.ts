import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  toJsonString,
} from "@bufbuild/protobuf";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { compileJsonReader } from "./json-read.ts";
import { compileJsonWriter } from "./json-write.ts";
import { opaqueFieldOf } from "./opaque.ts";

/** Proto3 JSON of one message type; keys without a field are ignored. */
export interface JsonCodec {
  /** Throws on what is not this message. */
  readonly decode: (json: JsonValue) => Message;
  readonly encode: (message: Message) => string;
}

/**
 * The codec for a message type. Messages that only carry opaque bytes are read
 * and written directly: without it their base64 goes through loops in
 * JavaScript, at a tenth of the speed.
 */
export function createJsonCodec(desc: DescMessage): JsonCodec {
  const field = opaqueFieldOf(desc);
  return field === undefined ? generalCodec(desc) : opaqueCodec(desc, field);
}

function generalCodec(desc: DescMessage): JsonCodec {
  const read = compileJsonReader(desc);
  const write = compileJsonWriter(desc);
  return {
    decode: (json) => read(json) ?? fromJson(desc, json, { ignoreUnknownFields: true }),
    encode: (message) => write(message) ?? toJsonString(desc, message),
  };
}

function opaqueCodec(desc: DescMessage, { jsonName, localName }: DescField): JsonCodec {
  const general = generalCodec(desc);
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
