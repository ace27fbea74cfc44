import { pipeline, Readable } from "node:stream";
import { CsvError, type Parser } from "csv-parse";
import { createCsvParser } from "../../../base/text/csv.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";

export type CsvRow = readonly string[];

/**
 * Reads CSV while it arrives, no faster than its rows are taken. The rows of one piece are returned together.
 * @throws the errors of the pieces, or AnalysisRefusal INTERNAL if they are not CSV
 */
export async function* readCsv(
  pieces: AsyncIterable<Uint8Array>,
  maxRowBytes: number,
): AsyncGenerator<readonly CsvRow[]> {
  const source = Readable.from(pieces, { objectMode: false, highWaterMark: 65_536 });
  const parser = createCsvParser({ maxRowBytes });
  let wake = (): void => {};
  // An error of the source ends the parser, which passes it to its reader.
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
    // The parser's message may quote any amount of the file.
    const what = `row ${error["records"] ?? "?"} is not CSV (${error.code})`;
    throw new AnalysisRefusal(returnCodes.internal, `the platform's download cannot be read: ${what}`);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** Returns the rows that can be read without waiting. */
function readAll(parser: Parser): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  for (let row = parser.read(); row !== null; row = parser.read()) rows.push(row as CsvRow);
  return rows;
}
