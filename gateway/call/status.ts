import type { OutgoingHttpHeaders } from "node:http";
import type { ConnectError } from "@connectrpc/connect";
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
