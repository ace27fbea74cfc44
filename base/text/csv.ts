import { type Options, type Parser, parse } from "csv-parse";
import { parse as parseAtOnce } from "csv-parse/sync";

export interface CsvSettings {
  /** Text between the columns; a comma unless given. */
  readonly separator?: string;
  /** A longer row is a fault, so that a quote that is never closed does not collect all of the input. */
  readonly maxRowBytes: number;
  /** Rows may have more or fewer cells than the first one. */
  readonly unevenRows?: boolean;
  /** Spaces around a cell are no part of it. */
  readonly trim?: boolean;
}

/**
 * A stream that takes the bytes of CSV (RFC 4180, UTF-8) and gives its rows. Each row may end with CR LF, LF or CR,
 * whatever the others end with; line ends within quotes belong to the cell. Empty lines and a byte order mark are
 * skipped. Its errors are CsvError of csv-parse.
 * @param more further options, such as `columns` for rows that are objects
 */
export function createCsvParser(settings: CsvSettings, more: Pick<Options, "columns" | "info"> = {}): Parser {
  return parse({ ...optionsOf(settings), ...more });
}

/** The rows of a whole text by the rules of `createCsvParser`, each an object by the cells of the first row. */
export function parseCsvObjects(csv: Uint8Array, settings: CsvSettings): Readonly<Record<string, string>>[] {
  return parseAtOnce<Record<string, string>>(Buffer.from(csv), { ...optionsOf(settings), columns: true });
}

/** Without them csv-parse looks for the first line end and takes the others as data. CR LF has to be found first. */
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
