import type { RefusalReason } from "../../../gateway/call/refusals.ts";
import type { RefusalKind } from "../../../services/webhook/receive/refusal.ts";
import { because, type Entry } from "./entry.ts";

/** Reasons of the domain `engage.gateway`. */
export const gatewayReasons: Readonly<Record<RefusalReason, Entry>> = {
  CROSS_SITE: because(
    "A page of another site made a call that needs no key.",
    "Add the origin of the page to gateway.cors, or require keys.",
  ),
  FOREIGN_HOST: because(
    "The server listens on loopback and requires no key, and was called under another name than localhost.",
    "Call it as localhost, or add the name to gateway.hosts.",
  ),
  MESSAGE_TOO_LARGE: because(
    "The request message is larger than its limit.",
    "Send smaller messages, or raise limits.maxMessageBytes or limits.methods; for webhooks maxBytes of the channel.",
  ),
  METHOD_NOT_ALLOWED: because(
    "The path exists with other HTTP methods. The header `allow` lists them.",
    "Use one of these methods.",
  ),
  REQUEST_TOO_SLOW: because(
    "The body did not arrive within limits.requestTimeoutMs, or more slowly than limits.minBytesPerSecond.",
    "Send it again over a faster connection, or in smaller requests.",
  ),
  RESPONSE_TOO_LARGE: because(
    "The response of the call is larger than one connection may leave unread: limits.openBytesPerConnection, or 1.25 times the largest allowed message if that is more.",
    "Ask for less in one call, such as fewer lines, or raise limits.openBytesPerConnection.",
  ),
  SERVER_BUSY: because(
    "This address or connection has too many incomplete requests or open streams.",
    "Try again after the time in RetryInfo, and use fewer at once. See limits.openBytes and limits.openStreamsPerAddress.",
  ),
  UNSUPPORTED_CONTENT_ENCODING: because(
    "The body has a content encoding that the server cannot decode. The message lists the valid ones.",
    "Send it with one of them, or without an encoding.",
  ),
  UNSUPPORTED_MEDIA_TYPE: because(
    "The content type is missing, or not one that this method reads. The message lists the valid ones.",
    "Set the header `content-type`.",
  ),
};

/** Reasons of the domain `engage`. */
export const keyReasons: Readonly<Record<string, Entry>> = {
  KEY_MISSING: because(
    "The call needs a key and has none.",
    "Send `authorization: Bearer KEY` or `x-api-key: KEY`, or present a client certificate.",
  ),
  KEY_UNKNOWN: because(
    "The key is not one of auth.keys.",
    "Check the key for cut or added characters; `engage key create` makes a new one.",
  ),
  METHOD_NOT_ALLOWED: because(
    "The key or certificate may not call this method.",
    "Add the method to its `methods` in the configuration.",
  ),
  READ_ONLY: because(
    "The key has read access, and the method changes something.",
    "Use a key with `access: write`.",
  ),
  SESSION_HEADER_MISSING: because(
    "A session of the console made a change without the header that scripts set.",
    "Send the header `connect-protocol-version` or `x-grpc-web`, or use a key.",
  ),
};

/** Reasons of fields in `google.rpc.BadRequest`. */
export const fieldReasons: Readonly<Record<string, Entry>> = {
  INVALID_JSON: because("The body is not JSON. The message names the position.", "Correct the body."),
  INVALID_UTF8: because("The body is not UTF-8.", "Encode the body as UTF-8."),
  INVALID_VALUE: because(
    "The value of the field is not valid. The message lists the valid ones.",
    "Correct the value.",
  ),
  JSON_LIMIT_EXCEEDED: because(
    "The JSON is nested too deeply, or has too many members, elements or values.",
    "Send less at once, or raise the limit in limits.json.",
  ),
  UNKNOWN_MEMBER: because(
    "The body has a member that the message does not have. The message gives the nearest one.",
    "Correct the name, or set gateway.json.unknownMembers to ignore.",
  ),
  UNKNOWN_PARAMETER: because(
    "The URL has a query parameter that the method does not have.",
    "Correct the name, or leave it out.",
  ),
};

/** Reasons of the domain `engage.analysis`, which fields of queries have too. */
export const analysisReasons: Readonly<Record<string, Entry>> = {
  ENGINE_UNAVAILABLE: because("As return code -1006.", "As return code -1006."),
  ETAG_STALE: because(
    "The saved query was changed since it was read.",
    "Read it again, and repeat the change with the new etag.",
  ),
  EVENT_UNKNOWN: because(
    "The project has no event of this name. The message gives the nearest one.",
    "Correct the name; `engage events` lists all.",
  ),
  INTERNAL: because("As return code -1000.", "As return code -1000."),
  PARAMETER_INVALID: because("As return code -1001.", "As return code -1001."),
  PATH_UNKNOWN: because(
    "The path below /open/ is not known, or not passed through to the platform.",
    "Correct the path, or add it to analysis.platform.paths.",
  ),
  PLATFORM_REFUSED: because(
    "The platform behind refused the query with a return code of its own, which the metadata has.",
    "See the documentation of the platform.",
  ),
  PROJECT_ON_PLATFORM: because(
    "The queries of the project go to a platform, which has its own catalogue.",
    "Ask the platform, or set `engine: embedded` for the project.",
  ),
  PROPERTY_UNKNOWN: because(
    "The project has no property of this name. The message gives the nearest one.",
    "Correct the name; `engage properties` lists all.",
  ),
  QUERY_TIMED_OUT: because("As return code -1004.", "As return code -1004."),
  SAVED_QUERY_NAME_TAKEN: because(
    "Another saved query of the project has this name.",
    "Choose another name, or change that query.",
  ),
  SAVED_QUERY_UNKNOWN: because(
    "The project has no saved query with this id.",
    "List the saved queries; it may have been deleted.",
  ),
  TOKEN_MISSING: because("As return code -1008.", "As return code -1008."),
  TOKEN_REFUSED: because("As return code -1002.", "As return code -1002."),
  TOO_MANY_QUERIES: because("As return code -1005.", "As return code -1005."),
  TOO_MANY_SAVED_QUERIES: because(
    "The project has the most saved queries that it may have.",
    "Delete one first.",
  ),
};

/** Reasons of the domain `engage.webhook`, in capitals; in metrics and `ListRefusals` in small letters. */
export const webhookReasons: Readonly<Record<RefusalKind, Entry>> = {
  unknown_channel: because(
    "webhook.channels has no channel with the name in the URL.",
    "Correct the URL of the platform's channel, or add the channel.",
  ),
  unauthenticated: because(
    "The signature or a required header is missing or wrong. `engage webhook` and the console show the likely cause.",
    "Use the same secret on both sides, and let no proxy change the body.",
  ),
  bad_body: because(
    "The body is not a JSON array, or has more elements than maxMessages.",
    "Correct what the sender writes, or raise the limit of the channel.",
  ),
  too_large: because(
    "The body is larger than maxBytes of the channel; the reason is then MESSAGE_TOO_LARGE.",
    "Send smaller batches, or raise the limit of the channel.",
  ),
  conflict: because(
    "The ops_request_id was used before by a batch with another body.",
    "Use a new id for each batch, and the same one only to repeat it.",
  ),
  unavailable: because(
    "The batch cannot be stored: the inbox is full or cannot be reached, or its first call is still in flight.",
    "Senders retry by themselves. See the inbox in GET /readyz and free space on its disk.",
  ),
};
