/** Smaller buffers may be shared, as those of Node's pool, and matter little. */
const minBytes = 262_144;

/**
 * Frees the memory of bytes which nothing uses any more, and of all others in their buffer: views of it become empty.
 * Otherwise each 64 MiB of buffers cause a collection of the whole heap, however small it is.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= minBytes) buffer.transfer(0);
}

/** Freeing smaller buffers takes longer than the collections they cause. */
const minWholeBytes = 16_384;

/** Does the same for bytes which may be smaller, unless their buffer has others too. */
export function freeWhole({ buffer, byteLength }: Uint8Array): void {
  const isWhole = buffer.byteLength === byteLength && byteLength >= minWholeBytes;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Frees the memory of bytes of any size, which must have a buffer of their own. */
export function freeOwnMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
