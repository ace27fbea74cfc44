import { Code, ConnectError } from "@connectrpc/connect";

/** Length of the prefix of a gRPC message: one flag byte and four of length. */
export const prefixBytes = 5;

/** Codes as Connect's handlers answer them, so that a caller cannot tell the two apart. */
export function unwrapMessage(all: Buffer | undefined): Buffer {
  if (all === undefined || all.length === 0) {
    throw new ConnectError("protocol error: missing input message for unary method", Code.Unimplemented);
  }
  const length = all.length < prefixBytes ? undefined : all.readUInt32BE(1);
  if (length === undefined || all.length < prefixBytes + length) {
    throw new ConnectError("protocol error: the message ends before its length", Code.InvalidArgument);
  }
  if (all.length > prefixBytes + length) {
    throw new ConnectError(
      "protocol error: received extra input message for unary method",
      Code.Unimplemented,
    );
  }
  if (all[0] !== 0) {
    throw new ConnectError("protocol error: compressed message without grpc-encoding", Code.Internal);
  }
  return all.subarray(prefixBytes);
}
