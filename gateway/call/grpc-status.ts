import type { OutgoingHttpHeaders } from "node:http";
import type { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { NodeHeaders } from "./headers.ts";

/** Adds the status of a failed call, with its details and metadata. */
export function assignGrpcStatus(target: OutgoingHttpHeaders, error: ConnectError): void {
  const status = new NodeHeaders();
  setTrailerStatus(status, error);
  status.assignTo(target);
  target["grpc-message"] = encodeGrpcMessage(error.rawMessage);
}

/**
 * The text of a `grpc-message`: all but printable ASCII percent-encoded, and
 * the percent sign (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 * `encodeURIComponent` alone escapes more than that, and `@grpc/grpc-js` shows
 * the commas and colons among it as they came. Takes well-formed text only.
 */
export function encodeGrpcMessage(message: string): string {
  return message.replace(/^ +| +$|[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}
