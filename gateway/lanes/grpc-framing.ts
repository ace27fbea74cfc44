import { Code, ConnectError } from "@connectrpc/connect";
import { sendBeforeReading } from "../http/http1/waiting-responses.ts";

/** Length of the prefix of a gRPC message: one flag byte and four of length. */
export const prefixBytes = 5;

/** Returns the payload of the only message, to be read now. Its errors have the codes of Connect's handlers. */
export function unwrapMessage(all: Buffer | undefined): Buffer {
  if (all === undefined || all.length === 0) {
    throw new ConnectError("protocol error: missing input message for unary method", Code.Unimplemented);
  }
  const end = endOfMessage(all, 0);
  if (end < all.length) {
    endOfMessage(all, end);
    throw new ConnectError(
      "protocol error: received extra input message for unary method",
      Code.Unimplemented,
    );
  }
  const flags = all[0] as number;
  refuseUnknownFlags(flags, compressedFlag);
  if (flags === compressedFlag) {
    throw new ConnectError("protocol error: compressed message without grpc-encoding", Code.Internal);
  }
  const payload = all.subarray(prefixBytes);
  sendBeforeReading(payload.length);
  return payload;
}

const compressedFlag = 1;

/** Returns the flags of messages that a protocol defines, by the content type of the request. */
export function knownFlagsOf(contentType: string): number {
  if (contentType.startsWith("application/grpc-web")) return compressedFlag | 0x80;
  return contentType.startsWith("application/grpc") ? compressedFlag : compressedFlag | 0x02;
}

/** @throws ConnectError INTERNAL, as other servers of gRPC do */
export function refuseUnknownFlags(flags: number, known: number): void {
  if ((flags & ~known) === 0) return;
  const valid = [0, 1, 0x02, 0x80].filter((flag) => (flag & ~known) === 0).join(", ");
  throw new ConnectError(
    `protocol error: the flags of a message are ${flags}, valid are ${valid}`,
    Code.Internal,
  );
}

function endOfMessage(all: Buffer, start: number): number {
  const end =
    start + prefixBytes <= all.length ? start + prefixBytes + all.readUInt32BE(start + 1) : undefined;
  if (end === undefined || end > all.length) {
    throw new ConnectError("protocol error: the message ends before its length", Code.InvalidArgument);
  }
  return end;
}
