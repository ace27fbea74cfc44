import { moveChecksums } from "../../../base/files/line-checksum.ts";
import type { RecordChunk, RecordPlace, RecordReader } from "../records.ts";
import type { RecordRow, RecordTable } from "./operations.ts";
import type { SpoolTables } from "./spool-tables.ts";

export interface TableReaderOptions {
  readonly tables: SpoolTables;
  /** Called with the table in use whenever it was read. */
  readonly seen: (head: RecordPlace) => void;
  readonly grown: () => Promise<void>;
  readonly isWriting: () => boolean;
  /** Whether lines have checksums of their places in their rows. */
  readonly checksums: boolean;
}

const lf = 0x0a;

/** Reads the tables of a project, in chunks of the requested size. */
export function createTableReader({
  tables,
  seen,
  grown,
  isWriting,
  checksums,
}: TableReaderOptions): RecordReader {
  async function tablesFrom(number: number): Promise<readonly RecordTable[]> {
    const found = await tables.from(number);
    seen(endOf(found));
    return found;
  }
  /** Reads whole lines of a table: at most `maxBytes`, or one line when it is longer. */
  async function readTable(
    { number, size }: RecordTable,
    from: number,
    maxBytes: number,
  ): Promise<RecordChunk | undefined> {
    for (let length = maxBytes; ; length *= 2) {
      const to = Math.min(size, from + length);
      const rows = withoutGaps(await tables.read({ number, from, to }));
      const bytes = wholeLines(number, rows, checksums);
      const start = { number, offset: rows[0]?.at ?? from };
      if (bytes.length > 0) {
        return { from: start, to: { number, offset: start.offset + bytes.length }, bytes };
      }
      if (to === size) return undefined;
    }
  }
  return {
    grown,
    isWriting,
    end: async () => endOf(await tablesFrom(Number.MAX_SAFE_INTEGER)),
    async start() {
      const [first] = await tablesFrom(0);
      return { number: first!.number, offset: 0 };
    },
    async read(from, maxBytes) {
      for (const table of await tablesFrom(from.number)) {
        const offset = table.number === from.number ? from.offset : 0;
        const isAfter = table.number >= from.number && offset < table.size;
        const chunk = isAfter ? await readTable(table, offset, maxBytes) : undefined;
        if (chunk !== undefined) return chunk;
      }
      return undefined;
    },
    async bytesAfter(from) {
      return (await tablesFrom(from.number)).reduce((sum, { number, size }) => {
        const read = number === from.number ? from.offset : 0;
        return sum + (number < from.number ? 0 : Math.max(0, size - read));
      }, 0);
    },
    release: tables.release,
  };
}

function endOf(tables: readonly RecordTable[]): RecordPlace {
  const { number, size } = tables.at(-1)!;
  return { number, offset: size };
}

/** Returns the rows up to the first which does not begin where the one before ends. */
function withoutGaps(rows: readonly RecordRow[]): readonly RecordRow[] {
  const found = rows.filter(({ bytes }) => bytes.length > 0);
  const gap = found.findIndex((row, at) => {
    const before = found[at - 1];
    return before !== undefined && before.at + before.bytes.length !== row.at;
  });
  return gap === -1 ? found : found.slice(0, gap);
}

/** Joins parts of rows up to the last line end, in memory of their own. */
function wholeLines(number: number, rows: readonly RecordRow[], checksums: boolean): Uint8Array<ArrayBuffer> {
  const joined = Buffer.allocUnsafeSlow(rows.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let to = 0;
  for (const { place, at, bytes } of rows) {
    joined.set(bytes, to);
    const part = joined.subarray(to, to + bytes.length);
    if (checksums) moveChecksums(part, { number: 0, offset: at - place }, { number, offset: at });
    to += bytes.length;
  }
  return joined.subarray(0, joined.lastIndexOf(lf) + 1);
}
