import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Property } from "../../schema.ts";
import { storeError } from "../errors.ts";
import { propertyColumn, propertySqlType } from "../layout.ts";
import { textLiteral } from "../session.ts";

/**
 * Returns the rows of an NDJSON file as a subquery.
 * @param columns the name and type of the column by key of the line
 * @param properties become columns, from the line's `p`
 */
export function fileRelation(
  file: string,
  columns: Readonly<Record<string, readonly [name: string, type: string]>>,
  properties: readonly Property[],
): string {
  const fields = properties.map((one) => `"${one.number}" ${propertySqlType(one)}`);
  const types = [
    ...Object.entries(columns).map(([key, [, type]]) => `${key}: '${type}'`),
    ...(fields.length === 0 ? [] : [`p: 'STRUCT(${fields.join(", ")})'`]),
  ];
  const selected = [
    ...Object.entries(columns).map(([key, [name]]) => `${key} AS ${name}`),
    ...properties.map((one) => `p."${one.number}" AS ${propertyColumn(one)}`),
  ];
  return `(SELECT ${selected.join(", ")} FROM read_json(${textLiteral(file)},
    format = 'newline_delimited', columns = {${types.join(", ")}}))`;
}

/**
 * Returns the rows of a Parquet file as a subquery.
 * @param columns the name of the column by that of the file
 * @param properties columns of the file, named `p` and their number
 */
export function columnsRelation(
  file: string,
  columns: Readonly<Record<string, readonly [name: string, type: string]>>,
  properties: readonly Property[],
): string {
  const selected = [
    ...Object.entries(columns).map(([key, [name]]) => `${key} AS ${name}`),
    ...properties.map((one) => `p${one.number} AS ${propertyColumn(one)}`),
  ];
  return `(SELECT ${selected.join(", ")} FROM read_parquet(${textLiteral(file)}))`;
}

/** Lines are converted to text in pieces of this length, between which the event loop does other work. */
const pieceCharacters = 262_144;

/** A temporary file of the store's own, deleted when it is disposed of. */
export interface ScratchFile extends AsyncDisposable {
  readonly path: string;
  /** Writes each value as one line of JSON. */
  write(lines: readonly unknown[]): Promise<void>;
}

export async function createScratchFile(folder: string): Promise<ScratchFile> {
  const path = join(folder, `${crypto.randomUUID()}.ndjson`);
  const handle = await withStoreErrors(open(path, "wx", 0o600));
  // `write` is not used because it may write only a part.
  const append = (text: string): Promise<void> => withStoreErrors(handle.appendFile(text));
  return {
    path,
    async write(lines) {
      let piece = "";
      for (const line of lines) {
        piece += `${JSON.stringify(line)}\n`;
        if (piece.length < pieceCharacters) continue;
        await append(piece);
        piece = "";
      }
      if (piece !== "") await append(piece);
    },
    async [Symbol.asyncDispose]() {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}

async function withStoreErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storeError(error);
  }
}
