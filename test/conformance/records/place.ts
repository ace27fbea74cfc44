import type { RecordSpool } from "../../../store/records/record-spool.ts";
import type { RecordPlace, RecordReader } from "../../../store/records/records.ts";

export interface SpoolOptions {
  /** The size from which on the next file is used. */
  readonly maxBytes?: number;
  readonly checksums?: boolean;
  readonly after?: RecordPlace;
  readonly admit?: (bytes: number) => void;
}

export interface OpenSpool extends AsyncDisposable {
  readonly spool: RecordSpool;
  readonly reader: RecordReader;
}

/** Where the records of a spool are, in numbered files or tables. */
export interface RecordsPlace extends AsyncDisposable {
  /** Opens the spool, one at a time. */
  open(options?: SpoolOptions): Promise<OpenSpool>;
  /** Returns the numbers of the files. */
  files(): Promise<readonly number[]>;
  /** Deletes a file which is not in use. */
  remove(number: number): Promise<void>;
  /** Changes bytes of the first file. */
  damage(change: (bytes: Buffer) => void): Promise<void>;
  /** Makes writing fail until it is disposed of. */
  fail(): Promise<AsyncDisposable>;
  /** Returns how many groups of records were written. */
  writes(): Promise<number>;
}

export type CreatePlace = () => Promise<RecordsPlace>;

export const record = (text: string): Buffer => Buffer.from(text);

export interface ReadLine extends RecordPlace {
  readonly text: string;
}

/** Reads the lines from a place on, with their places. */
export async function readLines(
  reader: RecordReader,
  from: RecordPlace,
  maxBytes: number,
): Promise<readonly ReadLine[]> {
  const lines: ReadLine[] = [];
  for (let at = from; ; ) {
    const chunk = await reader.read(at, maxBytes);
    if (chunk === undefined) return lines;
    let { offset } = chunk.from;
    for (const text of Buffer.from(chunk.bytes).toString().split("\n").slice(0, -1)) {
      lines.push({ number: chunk.from.number, offset, text });
      offset += Buffer.byteLength(text) + 1;
    }
    at = chunk.to;
  }
}

/** Reads the texts of the lines from a place on. */
export async function readAll(
  reader: RecordReader,
  from: RecordPlace,
  maxBytes = 1_000_000,
): Promise<readonly string[]> {
  return (await readLines(reader, from, maxBytes)).map(({ text }) => text);
}
