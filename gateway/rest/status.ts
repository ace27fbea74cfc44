import type { OutgoingHttpHeaders } from "node:http";
import {
  create,
  createRegistry,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { ErrorStyle } from "../../gen/engage/gateway/v1/options_pb.ts";
import {
  ErrorInfoSchema,
  file_google_rpc_error_details,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { gatewayDomain, type RefusalReason } from "../call/refusals.ts";
import type { HttpResponse } from "../http/http.ts";
import type { ReturnCodes, ServedMethod } from "../methods.ts";

/** https://cloud.google.com/apis/design/errors#handling_errors */
const httpStatusByCode: Readonly<Record<Code, number>> = {
  [Code.Canceled]: 499,
  [Code.Unknown]: 500,
  [Code.InvalidArgument]: 400,
  [Code.DeadlineExceeded]: 504,
  [Code.NotFound]: 404,
  [Code.AlreadyExists]: 409,
  [Code.PermissionDenied]: 403,
  [Code.ResourceExhausted]: 429,
  [Code.FailedPrecondition]: 400,
  [Code.Aborted]: 409,
  [Code.OutOfRange]: 400,
  [Code.Unimplemented]: 501,
  [Code.Internal]: 500,
  [Code.Unavailable]: 503,
  [Code.DataLoss]: 500,
  [Code.Unauthenticated]: 401,
};

/** HTTP statuses of the gateway's own reasons. */
const httpStatusByReason: Readonly<Record<RefusalReason, number>> = {
  CROSS_SITE: 403,
  FOREIGN_HOST: 421,
  MESSAGE_TOO_LARGE: 413,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TOO_SLOW: 408,
  RESPONSE_TOO_LARGE: 413,
  SERVER_BUSY: 429,
  UNSUPPORTED_CONTENT_ENCODING: 415,
  UNSUPPORTED_MEDIA_TYPE: 415,
};

const temporaryReasons: ReadonlySet<unknown> = new Set<RefusalReason>(["REQUEST_TOO_SLOW", "SERVER_BUSY"]);

/** An error as the HTTP response of a method in its error style; as `google.rpc.Status` without a method. */
export function encodeError(
  error: ConnectError,
  served?: Pick<ServedMethod, "options" | "returnCodes">,
): HttpResponse {
  const style = served?.options.errorStyle ?? ErrorStyle.STATUS;
  const details = error.details.map(decodeDetail);
  const info = details.find((detail) => detail.message?.$typeName === ErrorInfoSchema.typeName)?.json;
  const reason = info?.["domain"] === gatewayDomain ? (info["reason"] as RefusalReason) : undefined;
  const status = (reason && httpStatusByReason[reason]) ?? httpStatusByCode[error.code];
  const isEnvelope = style === ErrorStyle.ENVELOPE;
  const headers: OutgoingHttpHeaders = Object.fromEntries(error.metadata);
  headers["content-type"] = "application/json";
  const retryAfter = retryAfterOf(details);
  if (retryAfter !== undefined && !isEnvelope) headers["retry-after"] = retryAfter;
  if (status === 401 && !isEnvelope) headers["www-authenticate"] = "Bearer";
  return { status: isEnvelope ? envelopeStatusOf(info) : status, headers, body: JSON.stringify(bodyOf()) };

  function bodyOf(): JsonValue {
    if (isEnvelope) {
      const codes = served?.returnCodes as ReturnCodes;
      return { return_code: returnCodeOf(error.code, info, codes), return_message: error.rawMessage };
    }
    if (style === ErrorStyle.CODE) return { code: -1, msg: error.rawMessage };
    if (style === ErrorStyle.RETURN_CODE) return { return_code: 1, return_message: error.rawMessage };
    return { code: error.code, message: error.rawMessage, details: details.map(({ json }) => json) };
  }
}

/** Returns the status of an envelope: 200 unless the error has another one, as for an unknown path. */
function envelopeStatusOf(info: JsonObject | undefined): number {
  const metadata = info?.["metadata"] as JsonObject | undefined;
  const given = Number(metadata?.["http_status"] ?? Number.NaN);
  return Number.isInteger(given) && given >= 400 && given <= 599 ? given : 200;
}

function returnCodeOf(code: Code, info: JsonObject | undefined, codes: ReturnCodes): number {
  const metadata = info?.["metadata"] as JsonObject | undefined;
  const given = Number(metadata?.["return_code"] ?? Number.NaN);
  // 0 would read as success.
  if (Number.isInteger(given) && given !== 0) return given;
  // Requests that the gateway refuses are invalid, except for those that only came too slowly or too often.
  const isTemporary = temporaryReasons.has(info?.["reason"]);
  if (info?.["domain"] === gatewayDomain && !isTemporary) return codes[Code.InvalidArgument];
  return codes[code] ?? codes[Code.Internal];
}

interface Detail {
  readonly json: JsonObject;
  /** Undefined when its type is not known here. */
  readonly message?: Message;
}

const registry = createRegistry(file_google_rpc_error_details);

/** Details are either the ones of a handler of ours or came, in binary, from another server. */
function decodeDetail(detail: ConnectError["details"][number]): Detail {
  const isOwn = "desc" in detail;
  const desc = isOwn ? detail.desc : registry.getMessage(detail.type);
  try {
    if (desc !== undefined) {
      const message = isOwn ? create(desc, detail.value) : fromBinary(desc, detail.value);
      return { json: { "@type": typeUrl(desc.typeName), ...(toJson(desc, message) as JsonObject) }, message };
    }
  } catch {
    // The detail cannot be decoded, so only its type is reported.
  }
  return { json: { "@type": typeUrl(isOwn ? detail.desc.typeName : detail.type) } };
}

function typeUrl(typeName: string): string {
  return `type.googleapis.com/${typeName}`;
}

/** Whole seconds, rounded up. */
function retryAfterOf(details: readonly Detail[]): string | undefined {
  const retry = details.find((detail) => detail.message?.$typeName === RetryInfoSchema.typeName);
  const delay = retry?.json["retryDelay"];
  return typeof delay === "string" ? String(Math.ceil(Number.parseFloat(delay))) : undefined;
}
