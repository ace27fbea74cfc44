import Papa from "papaparse";
import type { Sample } from "./mapping.ts";
import type { ImportedRow } from "./send-rows.ts";

const sampleRows = 1_000;
const maxBatchRows = 1_000;
/** Bytes read at once. */
const chunkBytes = 1_048_576;

/**
 * Reads the header and the first rows of a file. Separators are found by themselves.
 * @throws Error of the browser for a file that cannot be read
 */
export function readSample(file: File): Promise<Sample> {
  return new Promise((resolve, reject) => {
    Papa.parse<string[]>(file, {
      preview: sampleRows + 1,
      skipEmptyLines: "greedy",
      complete({ data: [header = [], ...rows] }) {
        resolve({ fileName: file.name, header: header.map((title) => title.trim()), rows });
      },
      error: reject,
    });
  });
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Takes rows, which are followed by others when this has resolved. */
  readonly take: (rows: readonly ImportedRow[], readShare: number) => Promise<void>;
}

/** Reads all rows after the header, a batch at a time, so that a file of any size fits into memory. */
export function readRows(file: File, { signal, take }: ReadOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    // The header is row 0.
    let number = 0;
    Papa.parse<string[]>(file, {
      skipEmptyLines: "greedy",
      chunkSize: chunkBytes,
      async chunk({ data, meta }, parser) {
        parser.pause();
        const rows = data.map((cells): ImportedRow => ({ number: number++, cells }));
        const share = Math.min(1, meta.cursor / Math.max(1, file.size));
        try {
          for (const batch of batchesOf(rows.filter((row) => row.number > 0))) {
            signal.throwIfAborted();
            await take(batch, share);
          }
          parser.resume();
        } catch (error) {
          parser.abort();
          reject(error);
        }
      },
      complete: () => resolve(),
      error: reject,
    });
  });
}

function* batchesOf(rows: readonly ImportedRow[]): Iterable<readonly ImportedRow[]> {
  for (let at = 0; at < rows.length; at += maxBatchRows) yield rows.slice(at, at + maxBatchRows);
}

/** Returns rows as a file of CSV with the header of the file that they are from. */
export function csvOf(header: readonly string[], rows: readonly ImportedRow[]): string {
  return `${Papa.unparse([header, ...rows.map(({ cells }) => cells)] as string[][])}\r\n`;
}
