import { isDecimal } from "../../../base/text/decimal.ts";

const byteOrderMark = "\u{feff}";

/** Characters with which a spreadsheet starts a formula, also in their full-width forms. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

/** Writes a text of a caller or an event. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function textCell(text: string): string {
  const isFormula = formulaStart.test(text) && text !== "-" && !isDecimal(text.replace(/%$/, ""));
  return plainCell(isFormula ? `'${text}` : text);
}

/** Writes a text without guarding it: numbers, which keep their minus, and fixed texts. */
export function plainCell(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}

/** Writes a line of RFC 4180, but ends it with LF. */
export function writeLine(cells: readonly string[]): string {
  return `${cells.join(",")}\n`;
}

/** Writes the first line of a file. */
export function writeHeader(cells: readonly string[], hasByteOrderMark: boolean): string {
  return (hasByteOrderMark ? byteOrderMark : "") + writeLine(cells);
}
