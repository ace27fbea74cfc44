import { promisify } from "node:util";
import { gunzip, gunzipSync, type ZlibOptions } from "node:zlib";
import { createYield } from "../../../base/async/yield.ts";
import { unpackSnappy } from "../body/snappy.ts";
import { BodyFault, LongBodyFault } from "./body-fault.ts";

const gunzipLater = promisify(gunzip);
/** Limit of inflating on the event loop: below it a thread costs more than the work, and queries may occupy the threads. */
const maxSyncBytes = 16_384;
const maxSyncOutput = 262_144;
/** Highest ratio of deflate. */
const maxGzipRatio = 1_032;
const minPieceBytes = 1_024;
const maxPieceBytes = 1_048_576;
/** Highest ratio of snappy: a copy of 64 bytes takes 3. */
const maxSnappyRatio = 22;

/** Inflates gzip. @throws BodyFault if it is malformed, or longer than `maxBytes` */
export async function inflateGzip(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  try {
    const limit = { maxOutputLength: maxBytes, chunkSize: pieceBytesOf(bytes) };
    // A few bytes may inflate to many, which a thread must do.
    const isShort = bytes.length <= maxSyncBytes && declaredLength(bytes) <= maxSyncOutput;
    if (!isShort) return await gunzipLater(bytes, limit);
    return (
      gunzipAtOnce(bytes, { ...limit, maxOutputLength: Math.min(maxBytes, maxSyncOutput) }) ??
      (await gunzipLater(bytes, limit))
    );
  } catch (error) {
    throw isTooLong(error) ? tooLong(maxBytes) : new BodyFault("Data format error, not gzip");
  }
}

/**
 * Returns the size of output buffers. If one fits all, there is only one to wait for, and little garbage. The last bytes
 * have the length, unless there are several members or they are forged.
 */
function pieceBytesOf(bytes: Uint8Array): number {
  const { length } = bytes;
  const likely = Math.max(
    Math.min(declaredLength(bytes), length * maxGzipRatio) + 1,
    length * 2,
    minPieceBytes,
  );
  return Math.min(likely, maxPieceBytes);
}

function declaredLength({ buffer, byteOffset, length }: Uint8Array): number {
  return length < 4 ? 0 : new DataView(buffer, byteOffset).getUint32(length - 4, true);
}

/** Inflates on the event loop; undefined if the declared length is too small. */
function gunzipAtOnce(bytes: Uint8Array, limit: ZlibOptions): Buffer | undefined {
  try {
    return gunzipSync(bytes, limit);
  } catch (error) {
    if (isTooLong(error) && limit.maxOutputLength === maxSyncOutput) return undefined;
    throw error;
  }
}

function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
}

/** Inflates the raw block format of snappy. @throws BodyFault if it is malformed, or longer than `maxBytes` */
export async function inflateSnappy(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  const { length, end } = readLength(bytes);
  if (length > maxBytes) throw tooLong(maxBytes);
  // Memory is not allocated for an impossible length.
  const isPossible = length <= bytes.length * maxSnappyRatio;
  const inflated = isPossible ? await unpackSnappy(bytes, end, length, createYield()) : undefined;
  if (inflated === undefined) throw new BodyFault("Data format error, not snappy");
  return inflated;
}

/** Reads the varint at the beginning of a block. */
function readLength(bytes: Uint8Array): { readonly length: number; readonly end: number } {
  let length = 0;
  let at = 0;
  while (at < Math.min(bytes.length, 5)) {
    const byte = bytes[at]!;
    length += (byte & 127) * 2 ** (7 * at);
    at++;
    if (byte < 128) break;
  }
  return { length, end: at };
}

function tooLong(maxBytes: number): BodyFault {
  return new LongBodyFault(`Data format error, longer than ${maxBytes} bytes`);
}
