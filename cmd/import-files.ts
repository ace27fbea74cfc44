import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { parse as parseCsv } from "csv-parse";
import { isJsonObject, parseJson } from "../services/parser/mapping/json.ts";
import { cannotRead } from "./file-fault.ts";
import type { MapRow } from "./import-mapping.ts";
import { UserError } from "./user-error.ts";

export const importFormats = ["ndjson", "csv", "parquet"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Some records of a file, in their order. */
export interface ImportBlock {
  /** NDJSON, an LF behind each line. */
  readonly lines: Uint8Array;
  /** Rows that made no record. */
  readonly failures: readonly RowFailure[];
  /** How far the file has been read, from 0 to 1. */
  readonly fraction: (fileBytes: number) => number;
}

export interface RowFailure {
  readonly reason: string;
  readonly message: string;
}

export interface FileOptions {
  readonly format: ImportFormat | undefined;
  /** Needed by tables; over NDJSON when it is given. */
  readonly map: MapRow | undefined;
  readonly separator: string;
  readonly stdin: Readable;
  readonly signal: AbortSignal;
}

const chunkBytes = 1_048_576;
const rowsPerBlock = 1_000;
const maxLineBytes = 16 * 1_048_576;
const LF = 0x0a;

/** By the name of the file; what is not known is NDJSON. */
export function formatOf(file: string): ImportFormat {
  const name = file.toLowerCase().replace(/\.gz$/, "");
  if (extname(name) === ".csv") return "csv";
  return extname(name) === ".parquet" ? "parquet" : "ndjson";
}

/**
 * Reads a file, or standard input when it is called `-`. Memory is bounded by the longest line.
 * @throws UserError when it can't be read to its end, and what the signal was aborted with
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
  const { format = formatOf(file), map, signal } = options;
  if (format === "parquet") {
    yield* readTable(file, map!, signal);
    return;
  }
  const source = file === "-" ? options.stdin : createReadStream(file, { highWaterMark: chunkBytes });
  let bytesRead = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      bytesRead += chunk.length;
      yield chunk;
    }
  };
  const plain = inflate(counted());
  const blocks = format === "csv" ? csvBlocks(plain, map!, options.separator) : lineBlocks(plain, map);
  for await (const block of blocks) {
    yield { ...block, fraction: (fileBytes) => (fileBytes === 0 ? 1 : bytesRead / fileBytes) };
  }
}

async function* readTable(file: string, map: MapRow, signal: AbortSignal): AsyncGenerator<ImportBlock> {
  if (file === "-") throw new UserError("Parquet can't be read from standard input: give a file");
  const { readParquet } = await import("../store/events/duckdb/parquet.ts");
  for await (const { lines, rowsRead, allRows } of readParquet(file, signal)) {
    yield { ...mapRows(lines.map(parseJson), map), fraction: () => rowsRead / Math.max(1, allRows) };
  }
}

type Block = Omit<ImportBlock, "fraction">;

/** Whole lines; the last one needs no LF. */
async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
  map: MapRow | undefined,
): AsyncGenerator<Block> {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of chunks) {
    const bytes = isFirst ? withoutByteOrderMark(chunk) : chunk;
    isFirst = false;
    const end = bytes.lastIndexOf(LF) + 1;
    if (end === 0) {
      rest = Buffer.concat([rest, bytes]);
      if (rest.length > maxLineBytes) throw new UserError(`a line is longer than ${maxLineBytes} bytes`);
      continue;
    }
    yield linesOf(Buffer.concat([rest, bytes.subarray(0, end)]), map);
    rest = Buffer.from(bytes.subarray(end));
  }
  if (rest.length > 0) yield linesOf(Buffer.concat([rest, Uint8Array.of(LF)]), map);
}

function linesOf(lines: Buffer, map: MapRow | undefined): Block {
  if (map === undefined) return { lines, failures: [] };
  const texts = lines
    .toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return mapRows(texts.map(parseLine), map);
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
  map: MapRow,
  separator: string,
): AsyncGenerator<Block> {
  const parser = parseCsv({
    ...{ columns: true, bom: true, delimiter: separator, skip_empty_lines: true },
    ...{ relax_column_count: true, max_record_size: maxLineBytes },
  });
  const source = Readable.from(chunks);
  source.on("error", (error) => parser.destroy(error));
  let rows: unknown[] = [];
  for await (const row of source.pipe(parser)) {
    if (rows.push(row) < rowsPerBlock) continue;
    yield mapRows(rows, map);
    rows = [];
  }
  if (rows.length > 0) yield mapRows(rows, map);
}

function mapRows(rows: readonly unknown[], map: MapRow): Block {
  const records: string[] = [];
  const failures: RowFailure[] = [];
  for (const row of rows) {
    const record = isJsonObject(row) ? map(row) : { reason: "invalid_json", message: "is no JSON object" };
    if (typeof record === "string") records.push(`${record}\n`);
    else failures.push(record);
  }
  return { lines: Buffer.from(records.join("")), failures };
}

/** What begins with the two bytes of a gzip file is inflated. */
async function* inflate(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await chunks.next();
  if (first.done === true) return;
  const head = first.value;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* chunks;
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all();
    return;
  }
  const compressed = Readable.from(all());
  const plain = createGunzip({ chunkSize: chunkBytes });
  compressed.on("error", (error) => plain.destroy(error));
  yield* compressed.pipe(plain);
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
