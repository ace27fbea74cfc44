import type { Transform } from "node:stream";
import { promisify } from "node:util";
import {
  brotliDecompress,
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  gunzipSync,
  type ZlibOptions,
} from "node:zlib";

/** The compressions of bodies, messages and files, all of which are undone here. */
export type Compression = "gzip" | "deflate" | "br";

/** The inflated bytes exceed their limit. */
export class InflatedTooLongError extends Error {
  override readonly name = "InflatedTooLongError";
}

/**
 * Opens a stream that inflates what is written to it. The caller bounds the size of the output.
 * @param first the first byte, by which the two forms of deflate are distinguished
 */
export function createInflater(
  compression: Compression,
  { first = 0, ...options }: { readonly first?: number; readonly chunkSize?: number } = {},
): Transform {
  if (compression === "gzip") return createGunzip(options);
  if (compression === "br") return createBrotliDecompress(options);
  // Some servers omit the header of zlib: https://www.rfc-editor.org/rfc/rfc9110.html#name-deflate-coding
  return (first & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options);
}

const gunzipLater = promisify(gunzip);
const unbrotliLater = promisify(brotliDecompress);
/**
 * Limit of inflating on the event loop: below it a thread costs more than the work, and queries may occupy the threads.
 */
const maxSyncBytes = 16_384;
const maxSyncOutput = 262_144;
/** Highest ratio of deflate. */
const maxGzipRatio = 1_032;
const maxPieceBytes = 1_048_576;

/**
 * Inflates bytes that are in memory as a whole. Those of gzip get a buffer of their own, which the caller may free.
 * @throws InflatedTooLongError for more than `maxBytes`, and the error of zlib for malformed bytes
 */
export async function inflate(
  bytes: Uint8Array,
  compression: Exclude<Compression, "deflate">,
  maxBytes: number,
): Promise<Buffer> {
  try {
    if (compression === "br") return await unbrotliLater(bytes, { maxOutputLength: maxBytes });
    const limit = { maxOutputLength: maxBytes, chunkSize: pieceBytesOf(bytes) };
    // A few bytes may inflate to many, which a thread must do.
    const isShort = bytes.length <= maxSyncBytes && declaredLength(bytes) <= maxSyncOutput;
    const atOnce = isShort ? gunzipAtOnce(bytes, limit) : undefined;
    return atOnce ?? (await gunzipLater(bytes, limit));
  } catch (error) {
    if (!isTooLong(error)) throw error;
    throw tooLong(maxBytes, error);
  }
}

/**
 * Returns the size of output buffers. If one fits all, there is only one to wait for, and little garbage. The last
 * bytes have the length, unless there are several members or they are forged.
 */
function pieceBytesOf(bytes: Uint8Array): number {
  const { length } = bytes;
  const likely = Math.max(
    Math.min(declaredLength(bytes), length * maxGzipRatio) + 1,
    length * 2,
    // A shorter one would be a part of Node's pool.
    Buffer.poolSize >>> 1,
  );
  return Math.min(likely, maxPieceBytes);
}

function declaredLength({ buffer, byteOffset, length }: Uint8Array): number {
  return length < 4 ? 0 : new DataView(buffer, byteOffset).getUint32(length - 4, true);
}

/** Inflating more takes longer than to hand it to a thread. */
const maxShortOutput = 65_536;

/**
 * Inflates a short text on the event loop. Returns undefined for a longer one, and for malformed bytes.
 * @throws InflatedTooLongError for more than `maxBytes`
 */
export function inflateShort(
  bytes: Uint8Array,
  compression: Exclude<Compression, "deflate">,
  maxBytes: number,
): Buffer | undefined {
  if (bytes.length > maxSyncBytes) return undefined;
  const maxOutputLength = Math.min(maxBytes, maxShortOutput);
  if (compression === "br") {
    const first = readFirstBlock(bytes);
    if (first !== undefined && first.length > maxBytes) throw tooLong(maxBytes);
    // The decoder works through a window of up to 16 MiB before it returns anything.
    if (first === undefined || !first.isLast || first.length > maxOutputLength) return undefined;
  }
  try {
    const inflateSync = compression === "gzip" ? gunzipSync : brotliDecompressSync;
    return inflateSync(bytes, { maxOutputLength });
  } catch (error) {
    if (!isTooLong(error) || maxOutputLength < maxBytes) return undefined;
    throw tooLong(maxBytes, error);
  }
}

interface FirstBlock {
  /** Its inflated length in bytes. */
  readonly length: number;
  /** Whether nothing follows it. */
  readonly isLast: boolean;
}

/** Reads the head of a brotli stream; undefined if the stream does not begin with data. Source: RFC 7932, section 9. */
function readFirstBlock(bytes: Uint8Array): FirstBlock | undefined {
  let at = 0;
  const read = (count: number): number => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, at++) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit;
    return value;
  };
  // The size of the window has one, four or seven bits.
  if (read(1) === 1 && read(3) === 0) read(3);
  const isLast = read(1) === 1;
  if (isLast && read(1) === 1) return { length: 0, isLast };
  const more = read(2);
  return more === 3 ? undefined : { length: read(4 * (more + 4)) + 1, isLast };
}

/** Inflates on the event loop; undefined if the declared length is too small. */
function gunzipAtOnce(
  bytes: Uint8Array,
  limit: ZlibOptions & { readonly maxOutputLength: number },
): Buffer | undefined {
  const maxOutputLength = Math.min(limit.maxOutputLength, maxSyncOutput);
  try {
    return gunzipSync(bytes, { ...limit, maxOutputLength });
  } catch (error) {
    if (isTooLong(error) && maxOutputLength === maxSyncOutput) return undefined;
    throw error;
  }
}

function tooLong(maxBytes: number, cause?: unknown): InflatedTooLongError {
  return new InflatedTooLongError(`inflates to more than ${maxBytes} bytes`, { cause });
}

function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
}
