import { pipeline, Readable } from "node:stream";
import { CsvError, type Parser } from "csv-parse";
import { createCsvParser } from "../../../base/text/csv.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";

export type CsvRow = readonly string[];

/**
 * Reads CSV as it comes, no faster than its rows are taken; the rows of one piece
 * come together. @throws what the pieces threw, or AnalysisRefusal INTERNAL when
 * they are not CSV
 */
export async function* readCsv(
  pieces: AsyncIterable<Uint8Array>,
  maxRowBytes: number,
): AsyncGenerator<readonly CsvRow[]> {
  const source = Readable.from(pieces, { objectMode: false, highWaterMark: 65_536 });
  const parser = createCsvParser({ maxRowBytes });
  let wake = (): void => {};
  // Errors of the source end the parser, whose reader is told of them.
  pipeline(source, parser, () => wake());
  for (const event of ["readable", "end", "close"]) parser.on(event, () => wake());
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const rows = readAll(parser);
      if (rows.length > 0) yield rows;
      else if (parser.errored) throw parser.errored;
      else if (parser.readableEnded || parser.destroyed) return;
      else await woken;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Its message may quote the file at any length.
    const what = `row ${error["records"] ?? "?"} is not CSV (${error.code})`;
    throw new AnalysisRefusal(returnCodes.internal, `the platform's download cannot be read: ${what}`);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** What is there without waiting. */
function readAll(parser: Parser): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  for (let row = parser.read(); row !== null; row = parser.read()) rows.push(row as CsvRow);
  return rows;
}
