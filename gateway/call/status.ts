import type { OutgoingHttpHeaders } from "node:http";
import type { Code, ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { NodeHeaders } from "./headers.ts";

/** Adds the gRPC status of a failed call with its details and metadata. */
export function assignGrpcStatus(target: OutgoingHttpHeaders, error: ConnectError): void {
  const status = new NodeHeaders();
  setTrailerStatus(status, error);
  status.assignTo(target);
  target["grpc-message"] = encodeGrpcMessage(error.rawMessage);
}

/**
 * Encodes the text of a `grpc-message`: everything but printable ASCII, and the
 * percent sign, is percent-encoded
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 * `encodeURIComponent` escapes more, such as commas and colons, which
 * `@grpc/grpc-js` does not decode. The text must be well-formed.
 */
export function encodeGrpcMessage(message: string): string {
  return message.replace(/^ +| +$|[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** Names by number, as in https://grpc.github.io/grpc/core/md_doc_statuscodes.html. */
export const codeNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

export type CodeName = (typeof codeNames)[number];

/** Returns the name of a code in logs, metrics and JSON; undefined is OK. */
export function codeName(code: Code | undefined): CodeName {
  return codeNames[code ?? 0] ?? "UNKNOWN";
}
