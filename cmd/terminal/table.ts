import { escapeLine } from "./terminal.ts";

/** One column of a table: its head, and a function that returns the text of a row. */
export interface Column<T> {
  readonly head: string;
  readonly of: (row: T) => string | number | bigint;
  /** For texts that are numbers. */
  readonly isRight?: boolean;
}

/** A longer cell moves the rest of its row to the right, so that it does not widen all rows. */
const maxColumnWidth = 100;
/** Messages list the valid values, which are hundreds of words at most. */
const maxMessageLength = 16_384;
const gap = "  ";

/** Formats rows as lines of aligned columns under their heads. Numbers are aligned on the right. */
export function formatTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const laidOut = columns.map(({ head, of, isRight = false }) => {
    const values = rows.map(of);
    const cells = [head, ...values.map((value) => printable(String(value)))];
    const widest = cells.reduce((most, { length }) => Math.max(most, length), 0);
    const width = Math.min(widest, maxColumnWidth);
    const isNumeric = isRight || values.some((value) => typeof value !== "string");
    return cells.map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)));
  });
  const lines = [undefined, ...rows].map((_, at) =>
    laidOut
      .map((cells) => cells[at])
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Texts come from strangers: what steers a terminal is shown as its number. */
export function printable(text: string, maxLength: number = maxMessageLength): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return escapeLine(cut);
}
