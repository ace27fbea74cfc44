import type { JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { createContextKey } from "@connectrpc/connect";

/**
 * The form of one message type over REST where it differs from proto3 JSON. The
 * gateway takes codecs by the full name of the type.
 */
export interface RestCodec {
  /**
   * Reads a message of this type: the request, or the message in the field that
   * `body` of the HTTP rule names. Errors other than ConnectError are reported
   * as internal.
   */
  readonly decode?: (body: RestBody) => DecodedBody;
  /** Whether `decode` reads `raw` and never calls `json`, so that the gateway does not scan the body for it. */
  readonly readsRaw?: boolean;
  /**
   * Writes a message of this type: the response, the message in the field that
   * `response_body` names, or each message of a stream.
   */
  readonly encode?: (message: Message, response: RestResponse) => string | Uint8Array;
  /**
   * Media type of what `encode` writes, by default `application/json`. A stream
   * with a type of its own is sent as the codec writes it; without one, each
   * message is a line of NDJSON.
   */
  readonly contentType?: string;
  /** JSON Schema of this form, for the API document. */
  readonly schema?: JsonObject;
}

/** Codecs by the full name of their message type. */
export type RestCodecs = ReadonlyMap<string, RestCodec>;

/** The body that `decode` reads. */
export interface RestBody {
  /** The exact bytes, with Content-Encoding undone. */
  readonly raw: Buffer;
  /** Name of the request field that the body is for; `*` when it is the request itself. */
  readonly field: string;
  /** Parses the body. Throws INVALID_ARGUMENT when it is not UTF-8, not JSON, or beyond the bounds of the method. */
  readonly json: () => JsonValue;
}

export interface DecodedBody {
  readonly message: Message;
  /** A value for the handler besides the message, which reads it from its context by `kRequestAttachment`. */
  readonly attachment?: unknown;
}

/** The arguments of `encode` besides its message. */
export interface RestResponse {
  readonly request: Message;
  /** Zero-based number of the message in its stream; 0 without a stream. */
  readonly index: number;
  /** The value that the handler attached by `kResponseAttachment`. */
  readonly attachment: unknown;
}

/**
 * Context key of what the codec attached to the request: a `RawBody` for methods
 * with the option `raw_body`. Undefined for calls that are not REST.
 */
export const kRequestAttachment = createContextKey<unknown>(undefined, {
  description: "attachment of the request",
});

/** Context key under which a handler hands something to the codec of its response, such as the bytes to send. */
export const kResponseAttachment = createContextKey<unknown>(undefined, {
  description: "attachment of the response",
});

/** The exact HTTP body of a call over REST. */
export interface RawBody {
  /** The body after Content-Encoding is decoded. */
  readonly body: Uint8Array;
  /** The body as sent, if it had a content encoding. */
  readonly encoded?: Uint8Array | undefined;
}

/** The `encode` of responses whose bytes the handler has written and attached. */
export function encodeAttachedBytes(_message: Message, { attachment }: RestResponse): Uint8Array {
  if (!(attachment instanceof Uint8Array)) throw new Error("no bytes are attached to the response");
  return attachment;
}
