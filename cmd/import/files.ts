import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { addAbortSignal, Readable } from "node:stream";
import { detectGzip, gunzip } from "../../base/compression/gzip-files.ts";
import { isJsonObject, parseJson } from "../../base/json/raw-numbers.ts";
import { freeMemory } from "../../base/memory/free.ts";
import { withoutByteOrderMark } from "../../base/text/byte-order-mark.ts";
import { exactCountOf } from "../../base/text/count.ts";
import { checkColumnNames, createCsvParser } from "../../base/text/csv.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";
import type { ImportMapping, MapRow } from "./mapping.ts";

const importFormats = ["ndjson", "csv", "parquet"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Some records of a file, in their order. */
export interface ImportBlock {
  /** The records as NDJSON, with an LF after each line. Valid until the next block is read. */
  readonly lines: Uint8Array;
  /** The rows that made no record. */
  readonly failures: readonly RowFailure[];
  /** The number of rows that were read: lines of NDJSON, including empty ones, or rows of a table. */
  readonly rows: number;
  /** Returns the row of a line, both counted from 1; undefined if each line is a row. */
  readonly rowOf: ((line: number) => number) | undefined;
  /** Returns the fraction of the file that has been read, from 0 to 1. */
  readonly fraction: (fileBytes: number) => number;
}

export interface RowFailure {
  /** The number of the row in its block, counted from 1. */
  readonly row: number;
  readonly reason: string;
  readonly message: string;
  readonly data: string;
}

export interface FileOptions {
  readonly format: ImportFormat | undefined;
  /** The mapping, which is required for tables and optional for NDJSON. */
  readonly mapping: ImportMapping | undefined;
  /** The number of lines of NDJSON, or rows of a table, to skip at the beginning. */
  readonly skip: number;
  readonly stdin: Readable;
  readonly signal: AbortSignal;
}

const chunkBytes = 1_048_576;
const rowsPerBlock = 1_000;
const maxLineBytes = 16 * 1_048_576;
const lf = 0x0a;

/** Returns the word for the unit that is counted in a format, in the singular. */
export function rowWordOf(format: ImportFormat): "line" | "row" {
  return format === "ndjson" ? "line" : "row";
}

/** Returns the format of a file by its name. Unknown names are NDJSON. */
export function formatOf(file: string): ImportFormat {
  const name = file.toLowerCase().replace(/\.gz$/, "");
  if (extname(name) === ".csv") return "csv";
  return extname(name) === ".parquet" ? "parquet" : "ndjson";
}

/**
 * Reads a file, or standard input if its name is `-`. Memory is bounded by the longest line.
 * @throws UserError if it cannot be read to its end, UsageError if it lacks a column of the mapping or has fewer rows
 * than are skipped, and the reason of the signal
 */
export async function* readImportFile(file: string, options: FileOptions): AsyncGenerator<ImportBlock> {
  try {
    yield* readBlocks(file, options);
  } catch (error) {
    options.signal.throwIfAborted();
    throw error instanceof UserError ? error : cannotRead(file, error);
  }
}

async function* readBlocks(file: string, options: FileOptions): AsyncGenerator<ImportBlock> {
  const { format = formatOf(file), mapping, skip, signal } = options;
  if (format === "parquet") {
    yield* readTable(file, mapping!, options);
    return;
  }
  const bytes = file === "-" ? options.stdin : createReadStream(file, { highWaterMark: chunkBytes });
  // The signal also ends waiting for input that does not arrive.
  const source = addAbortSignal(signal, bytes);
  let bytesRead = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      bytesRead += chunk.length;
      yield chunk;
    }
  };
  const plain = inflateFile(counted(), file, chunkBytes);
  const blocks =
    format === "csv"
      ? csvBlocks(plain, mapping!, { file, skip })
      : lineBlocks(skipLines(plain, { file, skip }), mapping?.map);
  for await (const block of blocks) {
    yield { ...block, fraction: (fileBytes) => (fileBytes === 0 ? 1 : bytesRead / fileBytes) };
  }
}

async function* readTable(
  file: string,
  { map, checkColumns }: ImportMapping,
  { skip, signal }: FileOptions,
): AsyncGenerator<ImportBlock> {
  if (file === "-") throw new UserError("Parquet can't be read from standard input: give a file");
  const { readParquet } = await import("../../store/events/duckdb/parquet/parquet.ts");
  const check = (columns: readonly string[], allRows: number): void => {
    checkColumns(columns);
    if (skip > allRows) throw tooManySkipped({ file, skip }, exactCountOf(allRows, "row"));
  };
  for await (const { lines, rowsRead, allRows } of readParquet(file, { skip, check, signal })) {
    yield { ...mapRows(lines.map(parseJson), map), fraction: () => rowsRead / Math.max(1, allRows) };
  }
}

interface Skipped {
  readonly file: string;
  readonly skip: number;
}

function tooManySkipped({ file, skip }: Skipped, all: string): UsageError {
  return new UsageError(`--skip ${skip} is more than ${JSON.stringify(file)} has: ${all}`);
}

/** Skips the first lines. */
async function* skipLines(chunks: AsyncIterable<Uint8Array>, skipped: Skipped): AsyncGenerator<Uint8Array> {
  let left = skipped.skip;
  let endsInLine = false;
  for await (const chunk of chunks) {
    let start = 0;
    while (left > 0 && start < chunk.length) {
      const end = chunk.indexOf(lf, start);
      if (end !== -1) left--;
      start = end === -1 ? chunk.length : end + 1;
    }
    endsInLine = chunk.at(-1) !== lf;
    if (start < chunk.length) yield chunk.subarray(start);
  }
  if (endsInLine) left--;
  if (left > 0) throw tooManySkipped(skipped, exactCountOf(skipped.skip - left, "line"));
}

type Block = Omit<ImportBlock, "fraction">;

/** Yields blocks of whole lines. The last line needs no LF. */
async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
  map: MapRow | undefined,
): AsyncGenerator<Block> {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of chunks) {
    const bytes = isFirst ? withoutByteOrderMark(chunk) : chunk;
    if (isFirst) refuseUtf16(chunk);
    isFirst = false;
    const end = bytes.lastIndexOf(lf) + 1;
    if (end === 0) {
      rest = Buffer.concat([rest, bytes]);
      if (rest.length > maxLineBytes) throw new Error(`a line is longer than ${maxLineBytes} bytes`);
      continue;
    }
    const lines = joined(rest, bytes.subarray(0, end));
    yield linesOf(lines, map);
    freeMemory(lines);
    rest = Buffer.from(bytes.subarray(end));
  }
  if (rest.length > 0) yield linesOf(Buffer.concat([rest, Uint8Array.of(lf)]), map);
}

/** Joins bytes in memory of their own. */
function joined(first: Uint8Array, second: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** Refuses UTF-16, of which each line would be refused. */
function refuseUtf16(bytes: Uint8Array): void {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  if (mark === 0xfffe || mark === 0xfeff) throw new Error("it is UTF-16, valid is UTF-8");
}

function linesOf(lines: Buffer, map: MapRow | undefined): Block {
  const rows = countLines(lines);
  if (map === undefined) return { lines, rows, failures: [], rowOf: undefined };
  return { ...mapLines(lines.toString("utf8").split("\n"), map), rows };
}

/** Maps lines. Empty lines are no rows, but they are counted. */
function mapLines(texts: readonly string[], map: MapRow): Omit<Block, "rows"> {
  const mapped = createMapped(map);
  for (const [index, text] of texts.entries()) {
    if (text.trim() !== "") mapped.add(parseLine(text), index + 1, () => text);
  }
  return mapped.close();
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(lf); at !== -1; at = lines.indexOf(lf, at + 1)) count++;
  return count;
}

function parseLine(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

async function* csvBlocks(
  chunks: AsyncIterable<Uint8Array>,
  { map, separator, checkColumns }: ImportMapping,
  skipped: Skipped,
): AsyncGenerator<Block> {
  const parser = createCsvParser({ separator, maxRowBytes: maxLineBytes, unevenRows: true });
  const source = Readable.from(chunks);
  source.on("error", (error) => parser.destroy(error));
  let rows: unknown[] = [];
  let left = skipped.skip;
  let header: readonly string[] | undefined;
  try {
    for await (const cells of source.pipe(parser) as AsyncIterable<readonly string[]>) {
      if (header === undefined) {
        checkColumnNames(cells);
        checkColumns(cells);
        header = cells;
        continue;
      }
      if (left-- > 0 || rows.push(rowOf(header, cells)) < rowsPerBlock) continue;
      yield mapRows(rows, map);
      rows = [];
    }
  } finally {
    source.destroy();
  }
  if (left > 0) throw tooManySkipped(skipped, exactCountOf(skipped.skip - left, "row"));
  if (rows.length > 0) yield mapRows(rows, map);
}

/** Returns the cells by their columns, or as a list if there are additional ones that are not empty. */
function rowOf(header: readonly string[], cells: readonly string[]): unknown {
  const row: Record<string, string> = {};
  for (let at = 0; at < header.length && at < cells.length; at++) row[header[at]!] = cells[at]!;
  return cells.length > header.length && cells.slice(header.length).some((cell) => cell !== "") ? cells : row;
}

function mapRows(rows: readonly unknown[], map: MapRow): Block {
  const mapped = createMapped(map);
  for (const [index, row] of rows.entries()) mapped.add(row, index + 1, () => JSON.stringify(row));
  return { ...mapped.close(), rows: rows.length };
}

function noRecord(value: unknown): { readonly reason: string; readonly message: string } {
  if (!Array.isArray(value)) return { reason: "invalid_json", message: "is no JSON object" };
  return { reason: "too_many_cells", message: `has ${value.length} cells, more than the header has columns` };
}

/** Collects the records of a block and the rows that made none. */
function createMapped(map: MapRow) {
  const records: string[] = [];
  const numbers: number[] = [];
  const failures: RowFailure[] = [];
  return {
    add(value: unknown, row: number, dataOf: () => string): void {
      const record = isJsonObject(value) ? map(value) : noRecord(value);
      if (typeof record === "string") {
        records.push(`${record}\n`);
        numbers.push(row);
      } else failures.push({ row, reason: record.reason, message: record.message, data: dataOf() });
    },
    close: (): Omit<Block, "rows"> => ({
      lines: Buffer.from(records.join("")),
      failures,
      rowOf: (line) => numbers[line - 1]!,
    }),
  };
}

/** Inflates a file that begins as gzip. @throws UserError if its name ends in `.gz`, but it is not gzip */
async function* inflateFile(
  source: AsyncGenerator<Uint8Array>,
  file: string,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const { isGzip, chunks } = await detectGzip(source);
  if (!isGzip && file.toLowerCase().endsWith(".gz")) {
    throw new UserError(`${JSON.stringify(file)} is not gzipped, as its name says`);
  }
  yield* isGzip ? gunzip(chunks, chunkBytes) : chunks;
}
