import { compressLarge, decompress } from "../../../../base/compression/zstd.ts";
import type { Session } from "../../../sql/query.ts";
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
  /** The size of a compressed body before; null when it is stored as it came. */
  readonly body_bytes: number | null;
}

export const bodyColumns = "batch_seq, elements, body, elements_crc, body_crc, body_bytes";

/** Returns the expression for the size of a body as it came. @param prefix of the columns, such as "o." */
export function bodyBytes(prefix = ""): string {
  return `COALESCE(${prefix}body_bytes, LENGTH(${prefix}body))`;
}

/** Returns what is stored of a body, which is compressed where that saves much. */
export function storeBody(
  { dialect }: Session,
  body: Uint8Array,
): { readonly stored: Uint8Array; readonly isCompressed: boolean } {
  const compressed = dialect.compressesLarge ? compressLarge(body) : undefined;
  return { stored: compressed ?? body, isCompressed: compressed !== undefined };
}

/** Decodes a stored list of elements; returns an empty list when it can't be decoded. */
export function readableElements(elements: Uint8Array | null | undefined): readonly BatchElement[] {
  if (elements === null || elements === undefined) return [];
  try {
    return decodeElements(elements);
  } catch {
    return [];
  }
}

/** Bodies which were read, each compared with its checksum and decompressed once. */
export interface OpenedBodies {
  /** Returns why these elements of a body can't be delivered; null when they can. */
  damageOf(batchSeq: number, indexes: readonly number[]): string | null;
  /** Returns a body as it came. To be called when it has no damage. */
  bodyOf(batchSeq: number): Uint8Array;
}

export function openBodies(bodies: readonly BodyRow[]): OpenedBodies {
  const opened = new Map(bodies.map((row) => [row.batch_seq, open(row)]));
  return {
    damageOf(batchSeq, indexes) {
      const found = opened.get(batchSeq);
      if (found === undefined) return "damaged: the stored body is missing";
      if (found.reason !== null) return found.reason;
      const isReadable = indexes.every((index) => found.readable.has(index));
      return isReadable ? null : "damaged: the stored list of elements can't be read";
    },
    bodyOf: (batchSeq) => opened.get(batchSeq)!.body,
  };
}

interface OpenedBody {
  readonly reason: string | null;
  /** Elements which lie inside the body. */
  readonly readable: ReadonlySet<number>;
  readonly body: Uint8Array;
}

function open(row: BodyRow): OpenedBody {
  const { elements, elements_crc } = row;
  const broken = (reason: string): OpenedBody => ({ reason, readable: new Set(), body: new Uint8Array() });
  if (!isIntact(elements_crc, elements)) {
    return broken("damaged: the stored list of elements differs from its checksum");
  }
  const { body, reason } = readBody(row);
  if (body === undefined) return broken(reason);
  const inside = readableElements(elements).filter(({ end }) => end <= body.length);
  return { reason: null, readable: new Set(inside.map(({ index }) => index)), body };
}

/** Returns a body as it came, or why it can't be read. */
export function readBody({
  body: stored,
  body_crc,
  body_bytes,
}: Pick<BodyRow, "body" | "body_crc" | "body_bytes">):
  | { readonly body: Uint8Array; readonly reason?: undefined }
  | { readonly body?: undefined; readonly reason: string } {
  if (!isIntact(body_crc, stored)) return { reason: "damaged: the stored body differs from its checksum" };
  const body = body_bytes === null ? stored : tryDecompress(stored, body_bytes);
  return body === undefined ? { reason: "damaged: the stored body can't be decompressed" } : { body };
}

function tryDecompress(stored: Uint8Array, bytes: number): Uint8Array | undefined {
  try {
    return decompress(stored, bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
