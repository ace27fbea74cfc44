import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import type { DimensionRow } from "./definitions.ts";

/** Reads a dimension table: CSV (RFC 4180) in UTF-8 with a header row. @throws Error naming the file and line */
export function readDimensionFile(path: string): readonly DimensionRow[] {
  try {
    return parse(readFileSync(path), { columns: true, bom: true, skip_empty_lines: true });
  } catch (error) {
    throw new Error(`dimension table ${path}: ${(error as Error).message}`, { cause: error });
  }
}
