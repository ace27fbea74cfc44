import { createYield } from "../../../base/async/yield.ts";
import { InflatedTooLongError, inflate } from "../../../base/compression/inflate.ts";
import { unpackSnappy } from "../body/snappy.ts";
import { BodyFault, LongBodyFault } from "./body-fault.ts";

/** Highest ratio of snappy: a copy of 64 bytes takes 3. */
const maxSnappyRatio = 22;

/** Inflates gzip. @throws BodyFault if it is malformed, or longer than `maxBytes` */
export async function inflateGzip(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  try {
    return await inflate(bytes, "gzip", maxBytes);
  } catch (error) {
    throw error instanceof InflatedTooLongError
      ? tooLong(maxBytes)
      : new BodyFault("Data format error, not gzip");
  }
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
