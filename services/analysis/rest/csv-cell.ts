import { isDecimal } from "../../../base/text/decimal.ts";

const byteOrderMark = "\u{feff}";

/** What a spreadsheet takes for a formula, also in the full-width forms that it turns into these. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text from a caller or an event. One that a spreadsheet would run is given an apostrophe, so that it stays a text. */
export function textCell(text: string): string {
  const isFormula = formulaStart.test(text) && text !== "-" && !isDecimal(text.replace(/%$/, ""));
  return plainCell(isFormula ? `'${text}` : text);
}

/** A text of ours, which no spreadsheet runs: above all numbers, whose minus has to stay. */
export function plainCell(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}

/** RFC 4180 but for the line end. */
export function writeLine(cells: readonly string[]): string {
  return `${cells.join(",")}\n`;
}

/** The first line of a file. */
export function writeHeader(cells: readonly string[], hasByteOrderMark: boolean): string {
  return (hasByteOrderMark ? byteOrderMark : "") + writeLine(cells);
}
