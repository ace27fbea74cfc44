import type { IsKept } from "../config.ts";
import { createOutput } from "./output.ts";

/** Gathers the records of a batch that are to be stored. */
export interface KeptRecords {
  /** @param records each a JSON text */
  add(format: string | undefined, records: readonly string[]): void;
  /** A JSON array; undefined when it would be empty. */
  close(): Uint8Array<ArrayBuffer> | undefined;
}

/** Undefined when no record is to be stored. */
export function createKeptRecords(isKept: IsKept | undefined): KeptRecords | undefined {
  if (isKept === undefined) return undefined;
  const kept: string[] = [];
  return {
    add(format, records) {
      if (isKept(format)) kept.push(...records);
    },
    close() {
      if (kept.length === 0) return undefined;
      const output = createOutput(0);
      output.add(`[${kept.join(",")}]`);
      return output.finish();
    },
  };
}
