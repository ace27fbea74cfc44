import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { inflate } from "../../base/compression/inflate.ts";
import { holdsMoreValues, maxValues } from "../../base/protobuf/bounds.ts";
import { sendBeforeReading } from "../http/http1/waiting-responses.ts";
import { prefixBytes } from "../lanes/grpc-framing.ts";

/** The type and the compression of the messages of a body. */
export interface MessageFormat {
  readonly desc: DescMessage;
  /** `gzip`, `br`, or another name that the library handles. */
  readonly encoding: string;
  readonly maxBytes: number;
}

/**
 * Checks each message of gRPC, gRPC-Web or Connect streams before the library
 * reads it, which has no bound on the number of values. Passes compressed ones on
 * inflated. @param chunks of whole frames
 * @throws ConnectError INVALID_ARGUMENT
 */
export async function* checkFrames(
  chunks: AsyncIterable<Uint8Array>,
  framed: MessageFormat,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    while (at + prefixBytes <= chunk.length) {
      const end = at + prefixBytes + view.getUint32(at + 1);
      // A part of a message that is too long, or of a body that was cut.
      if (end > chunk.length) break;
      yield await checkFrame(chunk.subarray(at, end), framed);
      at = end;
    }
    if (at < chunk.length) yield chunk.subarray(at);
  }
}

async function checkFrame(frame: Uint8Array, framed: MessageFormat): Promise<Uint8Array> {
  const [flags = 0] = frame;
  const payload = frame.subarray(prefixBytes);
  const isCompressed = (flags & 1) === 1;
  const message = isCompressed ? await inflated(payload, framed) : payload;
  // The library reports its fault.
  if (message === undefined) return frame;
  checkMessage(framed.desc, message);
  if (!isCompressed) return frame;
  const plain = Buffer.allocUnsafe(prefixBytes + message.length);
  plain[0] = flags & ~1;
  plain.writeUInt32BE(message.length, 1);
  plain.set(message, prefixBytes);
  return plain;
}

/** Does the same for a body that is one message. */
export async function* checkBody(
  chunks: AsyncIterable<Uint8Array>,
  framed: MessageFormat,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const message = framed.encoding === "" ? chunk : await inflated(chunk, framed);
    if (message !== undefined) checkMessage(framed.desc, message);
    yield chunk;
  }
}

/** Returns undefined for a payload that is malformed, too large or of an unknown encoding. */
async function inflated(
  payload: Uint8Array,
  { encoding, maxBytes }: MessageFormat,
): Promise<Uint8Array | undefined> {
  if (encoding !== "gzip" && encoding !== "br") return undefined;
  try {
    return await inflate(payload, encoding, maxBytes);
  } catch {
    return undefined;
  }
}

function checkMessage(desc: DescMessage, message: Uint8Array): void {
  sendBeforeReading(message.length);
  if (!holdsMoreValues(desc, message, maxValues)) return;
  const text = `the message holds more than ${maxValues} messages, elements and unknown fields`;
  throw new ConnectError(text, Code.InvalidArgument);
}
