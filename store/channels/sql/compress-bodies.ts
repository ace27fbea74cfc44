import { setImmediate as turn } from "node:timers/promises";
import { deflateSync, inflateSync } from "node:zlib";

/** The first byte of what `deflateSync` returns; a body is JSON and starts with a bracket. */
const deflateMark = 0x78;
/** A small body shrinks little, and takes half as long as one of 40 KB. */
const minBytes = 4_096;
/** The output size of most bodies, which one chunk then holds. `freeBody` needs more than half of `Buffer.poolSize`. */
const pieceBytes = 65_536;
/** The chunks hold the compressed bodies of most batches: larger ones make the garbage collector run for their size. */
const packing = { level: 1, chunkSize: 2_048 };

/**
 * Compresses the body of a batch for storage. Its messages differ in a few values, so it shrinks to a
 * tenth or less: compression takes half the processor time that writing, reading and deleting the rest
 * would take, and much less of the disk.
 */
export function compressBody(body: Uint8Array): Uint8Array {
  if (body[0] === deflateMark) return deflateSync(body, packing);
  if (body.length < minBytes) return body;
  const packed = deflateSync(body, packing);
  return packed.length < body.length ? packed : body;
}

/** @param stored the result of `compressBody`, or an uncompressed body */
export function decompressBody(stored: Uint8Array): Uint8Array {
  return stored[0] === deflateMark ? inflateSync(stored, { chunkSize: pieceBytes }) : stored;
}

/**
 * Frees the memory of a result of `decompressBody`, which nothing may use any more. Left to the garbage collector, the
 * memory of bodies makes it run for their size.
 */
export function freeBody(stored: Uint8Array, body: Uint8Array): void {
  // Memory of this size is not of the pool that small buffers share.
  if (stored[0] === deflateMark && body.buffer instanceof ArrayBuffer) body.buffer.transfer(0);
}

/** Compressing this many bytes takes 5 ms of the event loop. */
const bytesBetweenYields = 2_097_152;

interface WithBody {
  readonly body: Uint8Array;
}

/** Compresses the bodies of batches and yields to the event loop in between. */
export async function compressBodies<T extends WithBody>(batches: readonly T[]): Promise<readonly T[]> {
  const compressed: T[] = [];
  let bytes = 0;
  for (const batch of batches) {
    if (bytes >= bytesBetweenYields) {
      bytes = 0;
      await turn();
    }
    bytes += batch.body.length;
    compressed.push({ ...batch, body: compressBody(batch.body) });
  }
  return compressed;
}
