import { MessageBuffer } from "../http/message-buffer.ts";
import type { ByteShare } from "../http/open-bytes.ts";
import { prefixBytes, refuseUnknownFlags } from "../lanes/grpc-framing.ts";

/**
 * The same bytes of a body of gRPC, gRPC-Web or Connect streams, each message
 * in one piece: Connect looks at all pieces of a message whenever one comes, so
 * a message in pieces of one byte would cost the square of its size. What has
 * come of a message is on `hold` until it is whole. A message beyond `maxBytes`
 * goes on as it comes, for Connect to refuse. Connect ignores unknown flags, so
 * they are refused here.
 * @param knownFlags see `knownFlagsOf`
 * @throws ConnectError INTERNAL
 */
export async function* joinMessages(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  hold: ByteShare,
  knownFlags: number,
): AsyncGenerator<Uint8Array> {
  let begun = new MessageBuffer();
  for await (const chunk of body) {
    let at = 0;
    while (at < chunk.length) {
      if (begun.length === 0) {
        const end = endOfWhole(chunk, at, knownFlags);
        if (end > at) yield chunk.subarray(at, end);
        at = end;
        if (at === chunk.length) break;
      }
      const piece = chunk.subarray(at, at + neededBytes(begun));
      begun.add(asBuffer(piece), prefixBytes + (lengthOf(begun) ?? 0));
      refuseUnknownFlags((begun.bytes as Buffer)[0] as number, knownFlags);
      hold.take(piece.length);
      at += piece.length;
      const length = lengthOf(begun);
      if (length === undefined || (length <= maxBytes && begun.length < prefixBytes + length)) continue;
      yield begun.take() as Buffer;
      begun = new MessageBuffer();
      hold.settle();
    }
  }
  if (begun.length > 0) yield begun.take() as Buffer;
}

/** Returns the end of the last whole message with known flags from `start` on; `start` without one. */
function endOfWhole(chunk: Uint8Array, start: number, knownFlags: number): number {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  let end = start;
  while (end + prefixBytes <= chunk.length) {
    const next = end + prefixBytes + view.getUint32(end + 1);
    if (next > chunk.length || (view.getUint8(end) & ~knownFlags) !== 0) break;
    end = next;
  }
  return end;
}

/** Returns the missing bytes of the prefix, or then of the message. */
function neededBytes(begun: MessageBuffer): number {
  const length = lengthOf(begun);
  return length === undefined ? prefixBytes - begun.length : prefixBytes + length - begun.length;
}

/** Returns the length in the prefix; undefined before the prefix is complete. */
function lengthOf({ bytes, length }: MessageBuffer): number | undefined {
  return length < prefixBytes ? undefined : (bytes as Buffer).readUInt32BE(1);
}

/** Joins the whole body for the same reason; passes it on in chunks beyond `maxBytes`. */
export async function* joinBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  hold: ByteShare,
): AsyncGenerator<Uint8Array> {
  const all = new MessageBuffer();
  for await (const chunk of body) {
    if (all.length > maxBytes) yield chunk;
    else {
      all.add(asBuffer(chunk), 0);
      hold.take(chunk.length);
      if (all.length > maxBytes) yield all.take() as Buffer;
    }
  }
  hold.settle();
  if (all.length > 0 && all.length <= maxBytes) yield all.take() as Buffer;
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
