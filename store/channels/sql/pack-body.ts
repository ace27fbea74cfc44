import { setImmediate as turn } from "node:timers/promises";
import { deflateSync, inflateSync } from "node:zlib";

/** The first byte of what `deflateSync` writes; a body is JSON and begins with a bracket. */
const packedMark = 0x78;
/** A small one becomes little smaller, and takes half as long as one of 40 KB. */
const minBytes = 4_096;
/** Most bodies come out in one piece. */
const pieceBytes = 65_536;

/**
 * The bytes of a batch as they are kept. Its messages differ in a few values, so
 * they become a tenth or less: packing takes half of the processor's time that
 * writing, reading and deleting the rest would, and much less of the disk's.
 */
export function packBody(body: Uint8Array): Uint8Array {
  if (body[0] === packedMark) return deflateSync(body, { level: 1 });
  if (body.length < minBytes) return body;
  const packed = deflateSync(body, { level: 1 });
  return packed.length < body.length ? packed : body;
}

/** @param kept as `packBody` has made it, or as it was given */
export function unpackBody(kept: Uint8Array): Uint8Array {
  return kept[0] === packedMark ? inflateSync(kept, { chunkSize: pieceBytes }) : kept;
}

/** Packing so many takes 5 ms of the event loop. */
const turnBytes = 2_097_152;

interface WithBody {
  readonly body: Uint8Array;
}

/** Those of batches, while others get their turns. */
export const packBodies = <T extends WithBody>(batches: readonly T[]) => inTurns(batches, packBody);

/** As `packBodies`. */
export const unpackBodies = <T extends WithBody>(batches: readonly T[]) => inTurns(batches, unpackBody);

async function inTurns<T extends WithBody>(
  batches: readonly T[],
  change: (body: Uint8Array) => Uint8Array,
): Promise<readonly T[]> {
  const changed: T[] = [];
  let bytes = 0;
  for (const batch of batches) {
    if (bytes >= turnBytes) {
      bytes = 0;
      await turn();
    }
    const body = change(batch.body);
    bytes += Math.max(batch.body.length, body.length);
    changed.push({ ...batch, body });
  }
  return changed;
}
