import { readFileSync } from "node:fs";
import { parseCsvObjects } from "../../../base/text/csv.ts";
import { describeReason } from "../../../base/text/system-error.ts";
import type { DimensionRow } from "./definitions.ts";

/** Longest row, far longer than rows are. */
const maxRowBytes = 1_048_576;

/** Reads a dimension table: CSV (RFC 4180) in UTF-8 with a header row. @throws Error naming the file and line */
export function readDimensionFile(path: string): readonly DimensionRow[] {
  try {
    return parseCsvObjects(readFileSync(path), { maxRowBytes });
  } catch (error) {
    throw new Error(`dimension table ${path}: ${describeReason(error)}`, {
      cause: error,
    });
  }
}
