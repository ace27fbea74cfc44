import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Compressing shorter bytes takes as long as it takes SQLite to write them. */
const minBytes = 65_536;
/** The levels below it find fewer repetitions and are not faster. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Compresses bytes for a store. Returns undefined for short bytes, and when less than a quarter would be saved. */
export function compressLarge(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < minBytes) return undefined;
  const compressed = zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length });
  return compressed.length <= bytes.length * 0.75 ? compressed : undefined;
}

/**
 * Decompresses what `compressLarge` returned.
 * @param size of the bytes before
 * @throws RangeError for other bytes and another size
 */
export function decompress(compressed: Uint8Array, size: number): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = zstdDecompressSync(compressed, { maxOutputLength: size, chunkSize: Math.max(size, 64) });
  } catch (error) {
    throw new RangeError("compressed bytes are damaged", { cause: error });
  }
  if (bytes.length !== size) throw new RangeError(`compressed bytes hold ${bytes.length} bytes, not ${size}`);
  return bytes;
}
