import { type DescField, type DescMessage, type JsonObject, type Message, toJson } from "@bufbuild/protobuf";
import { kResponseAttachment, type RestCodecs } from "../../base/rpc/rest-codec.ts";
import { type HttpBody, HttpBodySchema } from "../../gen/google/api/httpbody_pb.ts";
import type { Call } from "../call/call.ts";
import { jsonTextOf } from "../codec/json.ts";
import type { RestBinding } from "./bindings.ts";

/** Writes the responses of a binding. */
export interface WriteResponse {
  /** The media type of a response; an `HttpBody` has its own. */
  readonly contentTypeOf: (output: Message) => string;
  /** The media type of an empty stream. */
  readonly emptyType: string;
  /** `index` counts the messages of a stream. */
  readonly write: (output: Message, call: Call, index: number) => string | Uint8Array;
}

const jsonType = "application/json";
const bytesType = "application/octet-stream";
const ndjsonType = "application/x-ndjson";
/** Fields with their zero value are written, as readers of REST responses expect. */
const jsonOptions = { alwaysEmitImplicit: true } as const;

/**
 * Compiles how responses are written: as bytes, by a codec, or as JSON, of which a stream has a line for each message.
 */
export function compileResponse(binding: RestBinding, codecs: RestCodecs): WriteResponse {
  const { responseField: field } = binding;
  const { output, methodKind } = binding.served.desc;
  const type = field === undefined ? output : field.fieldKind === "message" ? field.message : undefined;
  if (type?.typeName === HttpBodySchema.typeName) return writeBytes(selectorOf(field));
  const own = codecs.get(output.typeName);
  const codec = own?.encode === undefined ? type && codecs.get(type.typeName) : own;
  if (codec?.encode === undefined) {
    const write = writeJson(output, field);
    return methodKind === "unary"
      ? typed(jsonType, write)
      : typed(ndjsonType, (message) => `${write(message)}\n`);
  }
  const { encode, contentType } = codec;
  const select = selectorOf(codec === own ? undefined : field);
  const write: WriteResponse["write"] = (message, call, index) => {
    const part = select(message) as Message | undefined;
    if (part === undefined) return "null";
    const attachment = call.values.get(kResponseAttachment);
    return encode(part, { request: call.message as Message, index, attachment });
  };
  if (methodKind === "unary" || contentType !== undefined) return typed(contentType ?? jsonType, write);
  return typed(ndjsonType, (message, call, index) => endLine(write(message, call, index)));
}

function typed(contentType: string, write: WriteResponse["write"]): WriteResponse {
  return { contentTypeOf: () => contentType, emptyType: contentType, write };
}

function writeBytes(select: (message: Message) => unknown): WriteResponse {
  const bodyOf = (message: Message): HttpBody | undefined => select(message) as HttpBody | undefined;
  return {
    contentTypeOf: (message) => bodyOf(message)?.contentType || bytesType,
    emptyType: bytesType,
    write: (message) => bodyOf(message)?.data ?? "",
  };
}

function endLine(text: string | Uint8Array): string | Uint8Array {
  return typeof text === "string" ? `${text}\n` : Buffer.concat([text, Buffer.from("\n")]);
}

/** Returns a function that selects the field that is the body, or the message itself. */
function selectorOf(field: DescField | undefined): (message: Message) => unknown {
  if (field === undefined) return (message) => message;
  const { oneof, localName } = field;
  if (oneof === undefined) return (message) => (message as unknown as Record<string, unknown>)[localName];
  return (message) => {
    const set = (message as unknown as Record<string, { case?: string; value?: unknown }>)[oneof.localName];
    return set?.case === localName ? set.value : undefined;
  };
}

/** A field that is not set is written as `null`. */
function writeJson(output: DescMessage, field: DescField | undefined): (message: Message) => string {
  if (field === undefined) return (message) => jsonTextOf(output, message, jsonOptions);
  return (message) =>
    JSON.stringify((toJson(output, message, jsonOptions) as JsonObject)[field.jsonName] ?? null);
}
