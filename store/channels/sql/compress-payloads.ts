import { setImmediate as turn } from "node:timers/promises";
import { deflateSync, inflateSync } from "node:zlib";
import { freeOwnMemory } from "../../../base/memory/free.ts";

/** The first byte of what `deflateSync` returns. */
const deflateMark = 0x78;
/** Compressing a smaller payload takes more time than to write, to read and to delete the rest. */
const minBytes = 16_384;
/** The output size of most payloads, which one chunk holds. `freePayload` needs more than half of `Buffer.poolSize`. */
const pieceBytes = 65_536;
/** The chunks hold most compressed payloads: larger ones make the garbage collector run for their size. */
const packing = { level: 1, chunkSize: 2_048 };

/** Compresses the payload of a batch for storage, if it is large. */
export function compressPayload(payload: Uint8Array): Uint8Array {
  if (payload[0] === deflateMark) return deflateSync(payload, packing);
  if (payload.length < minBytes) return payload;
  const packed = deflateSync(payload, packing);
  return packed.length < payload.length ? packed : payload;
}

/** @param stored the result of `compressPayload`, or an uncompressed payload */
export function decompressPayload(stored: Uint8Array): Uint8Array {
  return stored[0] === deflateMark ? inflateSync(stored, { chunkSize: pieceBytes }) : stored;
}

/**
 * Frees the memory of a result of `decompressPayload`, which nothing may use any more. Left to the garbage collector,
 * the memory makes it run for its size.
 */
export function freePayload(stored: Uint8Array, payload: Uint8Array): void {
  // Memory of this size is not of the pool that small buffers share.
  if (stored[0] === deflateMark) freeOwnMemory(payload);
}

/** Compressing this many bytes takes 5 ms of the event loop. */
const bytesBetweenYields = 2_097_152;

interface WithPayload {
  readonly payload: Uint8Array;
}

/** Compresses the payloads of batches and yields to the event loop in between. */
export async function compressPayloads<T extends WithPayload>(batches: readonly T[]): Promise<readonly T[]> {
  const compressed: T[] = [];
  let bytes = 0;
  for (const batch of batches) {
    if (bytes >= bytesBetweenYields) {
      bytes = 0;
      await turn();
    }
    bytes += batch.payload.length;
    compressed.push({ ...batch, payload: compressPayload(batch.payload) });
  }
  return compressed;
}
