import Papa from "papaparse";
import { piecesOf } from "./file-pieces.ts";
import type { Sample } from "./mapping.ts";
import type { ImportedRow } from "./send-rows.ts";

const sampleRows = 1_000;
const maxBatchRows = 1_000;
/** A longer row is no row of a table; a quote that is not closed makes one of the rest of the file. */
const maxRowCharacters = 1_048_576;
/** More columns are more than an event has properties, and than a form can show. */
const maxColumns = 500;
/** Characters that show by which separators rows and columns are written. */
const guessedCharacters = 65_536;

/** What is wrong with a file, for a text about it. */
export type TableFault = "encoding" | "longRow" | "manyColumns";

/** A file that is no table of CSV. */
export class TableError extends Error {
  override readonly name = "TableError";
  readonly fault: TableFault;

  constructor(fault: TableFault) {
    super(fault);
    this.fault = fault;
  }
}

/** Some rows of a file, and how much of it is read with them. */
interface ReadRows {
  readonly rows: readonly (readonly string[])[];
  readonly readBytes: number;
}

/**
 * Reads the header and the first rows of a file. Separators are found by themselves.
 * @throws TableError, Error of the browser for a file that cannot be read
 */
export async function readSample(file: File): Promise<Sample> {
  const found: (readonly string[])[] = [];
  for await (const { rows } of readTable(file)) {
    found.push(...rows);
    if (found.length > sampleRows) break;
  }
  const [header = [], ...rows] = found.slice(0, sampleRows + 1);
  if (header.length > maxColumns) throw new TableError("manyColumns");
  return { fileName: file.name, header: header.map((title) => title.trim()), rows };
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Takes rows, which are followed by others when this has resolved. */
  readonly take: (rows: readonly ImportedRow[], readShare: number) => Promise<void>;
}

/**
 * Reads all rows after the header, a batch at a time, so that a file of any size fits into memory.
 * @throws TableError, Error of the browser, what `take` throws
 */
export async function readRows(file: File, { signal, take }: ReadOptions): Promise<void> {
  // The header is row 0.
  let number = 0;
  let batch: ImportedRow[] = [];
  let share = 0;
  const takeBatch = async (): Promise<void> => {
    signal.throwIfAborted();
    const rows = batch;
    batch = [];
    if (rows.length > 0) await take(rows, share);
  };
  for await (const { rows, readBytes } of readTable(file)) {
    share = Math.min(1, readBytes / Math.max(1, file.size));
    for (const cells of rows) {
      if (number > 0) batch.push({ number, cells });
      number++;
      if (batch.length === maxBatchRows) await takeBatch();
    }
    signal.throwIfAborted();
  }
  await takeBatch();
}

/** Reads the rows that are not empty, with the header. Characters are decoded across the pieces of the file. */
async function* readTable(file: File): AsyncGenerator<ReadRows> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parser: Papa.Parser | undefined;
  let text = "";
  let readBytes = 0;
  for await (const bytes of piecesOf(file)) {
    readBytes += bytes.length;
    text += decode(() => decoder.decode(bytes, { stream: true }));
    // The separators show within the first rows.
    if (text.length < guessedCharacters && readBytes < file.size) continue;
    parser ??= createParser(text);
    const { rows, end } = parse(parser, text, true);
    text = text.slice(end);
    yield { rows, readBytes };
    if (text.length > maxRowCharacters) throw new TableError("longRow");
  }
  text += decode(() => decoder.decode());
  if (text !== "") yield { rows: parse(parser ?? createParser(text), text, false).rows, readBytes };
}

/** @throws TableError for bytes that are not UTF-8, and for UTF-16, whose letters have bytes that are 0 */
function decode(work: () => string): string {
  let text: string;
  try {
    text = work();
  } catch {
    throw new TableError("encoding");
  }
  if (text.includes("\0")) throw new TableError("encoding");
  return text;
}

function createParser(text: string): Papa.Parser {
  const { delimiter, linebreak } = Papa.parse(text, { preview: sampleRows, skipEmptyLines: "greedy" }).meta;
  return new Papa.Parser({ delimiter, newline: linebreak as "\n" });
}

interface ParsedRows {
  readonly data: readonly (readonly string[])[];
  readonly meta: { readonly cursor: number };
}

/** @param isPart whether the last row may go on after the text: it is left out */
function parse(parser: Papa.Parser, text: string, isPart: boolean) {
  const { data, meta } = parser.parse(text, 0, isPart) as ParsedRows;
  return { rows: data.filter((cells) => cells.some((cell) => cell.trim() !== "")), end: meta.cursor };
}

/** Returns rows as a file of CSV with the header of the file that they are from. */
export function csvOf(header: readonly string[], rows: readonly ImportedRow[]): string {
  return `${Papa.unparse([header, ...rows.map(({ cells }) => cells)] as string[][])}\r\n`;
}
