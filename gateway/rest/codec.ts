import type { JsonObject, JsonValue, Message } from "@bufbuild/protobuf";

/**
 * The form of one message type over REST where it is not proto3 JSON. Codecs
 * are given to the router by the full name of the type.
 */
export interface JsonCodec {
  /**
   * Reads a message of this type: the request itself, or the message in the
   * field that `body` names. Errors other than `ConnectError` are faults of ours.
   */
  readonly decode?: (body: CodecBody) => Message;
  /**
   * Writes a message of this type: the answer itself, the message in the field
   * that `response_body` names, or each message of a stream.
   */
  readonly encode?: (message: Message, answer: CodecAnswer) => string | Uint8Array;
  /**
   * Media type of what `encode` writes, by default `application/json`. A stream
   * with a type of its own is sent as the codec writes it; without, as one line
   * of NDJSON for each message.
   */
  readonly contentType?: string;
  /** JSON Schema of this form, for the API document. */
  readonly schema?: JsonObject;
}

/** What `decode` reads. */
export interface CodecBody {
  /** The exact bytes, with Content-Encoding undone. */
  readonly raw: Buffer;
  /** Name of the request field that the body is for; `*` when it is the request itself. */
  readonly field: string;
  /** The body as JSON. Throws INVALID_ARGUMENT when it is not UTF-8, not JSON, or beyond the bounds of the method. */
  readonly json: () => JsonValue;
}

/** What `encode` may need to know besides its message. */
export interface CodecAnswer {
  /** The request that is answered. */
  readonly request: Message;
  /** Zero-based number of the message in its stream; 0 when there is no stream. */
  readonly index: number;
}

/** Codecs by the full name of their message type. */
export type JsonCodecs = ReadonlyMap<string, JsonCodec>;
