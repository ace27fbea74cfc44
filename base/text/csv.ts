import type { TransformCallback } from "node:stream";
import { CsvError, type Options, Parser } from "csv-parse";
import { parse as parseAtOnce } from "csv-parse/sync";
import { CsvText } from "./csv-text.ts";
import { quoteText } from "./quote.ts";

export interface CsvSettings {
  /** The text between columns; by default a comma. */
  readonly separator?: string;
  /** A longer row is a fault, so that a quote that is never closed does not collect all of the input. */
  readonly maxRowBytes: number;
  /** Rows may have more or fewer cells than the first one. */
  readonly unevenRows?: boolean;
  /** Removes spaces around cells. */
  readonly trim?: boolean;
}

/**
 * Creates a stream that takes the bytes of CSV (RFC 4180; UTF-8, or UTF-16 with a byte order mark) and gives its rows.
 * Each row may end with CR LF, LF or CR independently of the others; line ends within quotes belong to the cell. Empty
 * lines and a byte order mark are skipped. Errors name the line; errors of the form are CsvError of csv-parse.
 * @param more further options
 */
export function createCsvParser(settings: CsvSettings, more: Pick<Options, "info"> = {}): Parser {
  return new TextParser({ ...optionsOf(settings), ...more });
}

/**
 * Parses a whole text by the rules of `createCsvParser`. Each row is an object by the cells of the first row.
 * @throws Error also for a name that occurs twice in the first row
 */
export function parseCsvObjects(csv: Uint8Array, settings: CsvSettings): Readonly<Record<string, string>>[] {
  const text = new CsvText();
  const bytes = Buffer.concat([text.take(csv), text.end()]);
  const columns = (names: string[]): string[] => {
    checkColumnNames(names);
    return names;
  };
  try {
    return parseAtOnce<Record<string, string>>(bytes, { ...optionsOf(settings), columns });
  } catch (error) {
    throw error instanceof CsvError ? text.explain(error) : error;
  }
}

/** Checks that no name occurs twice in a header, since one of the columns would be ignored. @throws Error */
export function checkColumnNames(names: readonly string[]): void {
  const double = names.find((name, at) => name !== "" && names.indexOf(name) < at);
  if (double !== undefined) throw new Error(`the header has the column ${quoteText(double)} more than once`);
}

/** Parses pieces of a text and follows it, so that an error gets a place. */
class TextParser extends Parser {
  readonly #text = new CsvText();

  override _transform(piece: Uint8Array, encoding: BufferEncoding, done: TransformCallback): void {
    let bytes: Uint8Array;
    try {
      bytes = this.#text.take(piece);
    } catch (error) {
      done(error as Error);
      return;
    }
    super._transform(bytes, encoding, (error) => done(this.#explain(error)));
  }

  override _flush(done: TransformCallback): void {
    let rest: Uint8Array;
    try {
      rest = this.#text.end();
    } catch (error) {
      done(error as Error);
      return;
    }
    super._transform(rest, "utf8", (error) => {
      if (error) done(this.#explain(error));
      else super._flush((fault) => done(this.#explain(fault)));
    });
  }

  #explain(error: Error | null | undefined): Error | null | undefined {
    return error instanceof CsvError ? this.#text.explain(error) : error;
  }
}

/** The line ends. Without this option csv-parse uses the first line end only. CR LF must come first. */
const rowEnds = ["\r\n", "\n", "\r"];

function optionsOf({ separator = ",", maxRowBytes, unevenRows, trim }: CsvSettings) {
  return {
    bom: true,
    delimiter: separator,
    record_delimiter: rowEnds,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
    relax_column_count: unevenRows ?? false,
    trim: trim ?? false,
  } satisfies Options;
}
