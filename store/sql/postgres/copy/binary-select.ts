import { type ClientBase, Query as DriverQuery } from "pg";
import type { BinaryColumns, Row, Value } from "../../query.ts";

/** A message of the server with a part of what it copies. */
interface CopyData {
  readonly chunk: Buffer;
}

const signature = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
/** The signature, the flags and the length of an extension, which is empty. */
const headerBytes = signature.length + 8;
/** The number of columns after the last row. */
const noMoreRows = -1;

/**
 * A SELECT whose rows the server sends in binary. The driver supports this for COPY only, which has no parameters: they
 * are settings of the transaction, so that the text of COPY is the same for all of them. pg_stat_statements keeps each
 * text of a COPY, and would evict statements of others.
 */
export class BinarySelect extends DriverQuery {
  readonly select: string;
  readonly params: readonly Value[];
  readonly #messages: Buffer[] = [];

  /** @param params whole numbers */
  constructor(select: string, params: readonly Value[], ended: (error: Error | null | undefined) => void) {
    const settings = params.map((value, i) => `set_config('${settingOf(i + 1)}', '${textOf(value)}', true)`);
    const text = select.replaceAll(
      /\$(\d+)/g,
      (_whole, number) => `current_setting('${settingOf(number)}')::bigint`,
    );
    super(`SELECT ${settings.join(", ")}; COPY (${text}) TO STDOUT (FORMAT binary)`, (error) => ended(error));
    this.select = select;
    this.params = params;
  }

  /** Called by the driver, which uses the memory of the message again. */
  handleCopyData({ chunk }: CopyData): void {
    this.#messages.push(Buffer.from(chunk));
  }

  /** Decodes what was received, in the format of https://www.postgresql.org/docs/current/sql-copy.html. */
  decode(columns: BinaryColumns): readonly Row[] {
    const types = Object.entries(columns);
    const rows: Row[] = [];
    // A message has one row, the first one also the header, and the last one the end.
    for (const [number, bytes] of this.#messages.entries()) {
      if (number === 0 && !bytes.subarray(0, signature.length).equals(signature))
        throw new Error("PostgreSQL copies rows in an unknown format");
      for (let at = number === 0 ? headerBytes : 0; at < bytes.length; ) {
        const columnCount = bytes.readInt16BE(at);
        if (columnCount === noMoreRows) break;
        if (columnCount !== types.length)
          throw new Error(`PostgreSQL copies rows of ${columnCount} columns, not ${types.length}`);
        at += 2;
        const row: Record<string, unknown> = {};
        for (const [name, type] of types) {
          const start = at + 4;
          const length = bytes.readInt32BE(at);
          if (length < 0) throw new Error(`PostgreSQL copies a row whose ${name} is null`);
          at = start + length;
          row[name] = type === "bytes" ? bytes.subarray(start, at) : Number(bytes.readBigInt64BE(start));
        }
        rows.push(row);
      }
    }
    return rows;
  }
}

/**
 * Runs a SELECT whose rows are sent in binary: a `bytea` as text takes twice the bytes, and is decoded from a string.
 * @param params whole numbers
 */
export async function selectBinary(
  client: ClientBase,
  select: string,
  params: readonly Value[],
  columns: BinaryColumns,
): Promise<readonly Row[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const query = new BinarySelect(select, params, (error) => (error == null ? resolve() : reject(error)));
  client.query(query);
  await promise;
  return query.decode(columns);
}

const settingOf = (number: number | string): string => `engage.param_${number}`;

function textOf(value: Value | undefined): string {
  if (!Number.isSafeInteger(value)) throw new TypeError("a parameter of COPY must be a whole number");
  return String(value);
}
