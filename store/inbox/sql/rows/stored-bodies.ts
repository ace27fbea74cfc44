import type { BatchElement } from "../../batch.ts";
import { isIntact } from "../../checksum.ts";
import { decodeElements } from "../../element-list.ts";

/** The bytes of a batch with their checksums, which are null in rows of versions without checksums. */
export interface BodyRow {
  readonly batch_seq: number;
  readonly elements: Uint8Array;
  readonly body: Uint8Array;
  readonly elements_crc: number | null;
  readonly body_crc: number | null;
}

export const bodyColumns = "batch_seq, elements, body, elements_crc, body_crc";

/** Decodes a stored list of elements; returns an empty list when it can't be decoded. */
export function readableElements(elements: Uint8Array | null | undefined): readonly BatchElement[] {
  if (elements === null || elements === undefined) return [];
  try {
    return decodeElements(elements);
  } catch {
    return [];
  }
}

/** Returns why these elements of a body can't be delivered; null when they can. */
export type DamageOf = (batchSeq: number, indexes: readonly number[]) => string | null;

/** Compares each body with its checksum once. */
export function createDamageOf(bodies: readonly BodyRow[]): DamageOf {
  const checked = new Map(bodies.map((row) => [row.batch_seq, check(row)]));
  return (batchSeq, indexes) => {
    const found = checked.get(batchSeq);
    if (found === undefined) return "damaged: the stored body is missing";
    if (found.reason !== null) return found.reason;
    const isReadable = indexes.every((index) => found.readable.has(index));
    return isReadable ? null : "damaged: the stored list of elements can't be read";
  };
}

interface Checked {
  readonly reason: string | null;
  /** Elements which lie inside the body. */
  readonly readable: ReadonlySet<number>;
}

function check({ elements, elements_crc, body, body_crc }: BodyRow): Checked {
  const none = new Set<number>();
  if (!isIntact(elements_crc, elements)) {
    return { reason: "damaged: the stored list of elements differs from its checksum", readable: none };
  }
  if (!isIntact(body_crc, body)) {
    return { reason: "damaged: the stored body differs from its checksum", readable: none };
  }
  const inside = readableElements(elements).filter(({ end }) => end <= body.length);
  return { reason: null, readable: new Set(inside.map(({ index }) => index)) };
}
