import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { AnalysisRefusal, returnCodes } from "../refusal.ts";

/**
 * Reads CSV as it comes, no faster than its rows are taken. @throws what the
 * pieces threw, or AnalysisRefusal INTERNAL when they are not CSV
 */
export async function* readCsv(
  pieces: AsyncIterable<Uint8Array>,
  maxRowBytes: number,
): AsyncGenerator<readonly string[]> {
  const source = Readable.from(pieces, { objectMode: false, highWaterMark: 65_536 });
  const parser = parse({ bom: true, max_record_size: maxRowBytes, skip_empty_lines: true });
  // Errors of the source end the parser, whose reader is told of them.
  pipeline(source, parser, () => {});
  try {
    for await (const row of parser) yield row as readonly string[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Its message may quote the file at any length.
    const what = `row ${error["records"] ?? 0} is not CSV (${error.code})`;
    throw new AnalysisRefusal(returnCodes.internal, `the platform's download cannot be read: ${what}`);
  } finally {
    source.destroy();
    parser.destroy();
  }
}
