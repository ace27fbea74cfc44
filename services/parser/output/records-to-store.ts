import type { IsStored } from "../config.ts";

/** Collects the records of a batch that are stored. */
export interface RecordsToStore {
  /** @param records each a JSON text */
  add(format: string | undefined, records: readonly string[]): void;
  /** Returns a JSON array, or undefined when no record was added. */
  close(): Uint8Array<ArrayBuffer> | undefined;
}

/** Returns undefined when no records are stored at all. */
export function createRecordsToStore(isStored: IsStored | undefined): RecordsToStore | undefined {
  if (isStored === undefined) return undefined;
  const all: string[] = [];
  return {
    add(format, records) {
      if (isStored(format)) all.push(...records);
    },
    close: () => (all.length === 0 ? undefined : Buffer.from(`[${all.join(",")}]`)),
  };
}
