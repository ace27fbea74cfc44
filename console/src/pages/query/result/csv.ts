import { labelOf, type ResultTable } from "../../../results/series.ts";

export type Cell = string | number | undefined;

/** Characters with which a spreadsheet starts a formula, also in their full-width forms. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;
const isNumber = /^[+-]?\d+(?:\.\d+)?%?$/;

/** Writes lines of RFC 4180 with every field quoted. */
export function writeCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(writeCell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it; numbers keep their minus. */
function writeCell(cell: Cell): string {
  if (cell === undefined) return '""';
  if (typeof cell === "number") return `"${cell}"`;
  const isFormula = formulaStart.test(cell) && cell !== "-" && !isNumber.test(cell);
  return `"${(isFormula ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}

/** The words of the header. */
export interface CsvWords {
  readonly metric: string;
  readonly split: string;
  readonly compared: string;
  readonly noValue: string;
}

/** Returns the rows of a result: one for each metric and group, with a column for each bucket of both ranges. */
export function csvOfTable(table: ResultTable, words: CsvWords): string {
  const hasSplit = table.rows.some(({ split }) => split !== undefined);
  const header = [
    words.metric,
    ...table.groupNames,
    ...(hasSplit ? [words.split] : []),
    ...table.labels,
    ...table.comparedLabels.map((label) => `${label} (${words.compared})`),
  ];
  const compared = new Map(
    table.rows.filter((row) => row.isCompared).map((row) => [row.key.slice(0, -1), row.values]),
  );
  const rows = table.rows
    .filter((row) => !row.isCompared)
    .map(({ key, metric, group, split, values }) => [
      metric,
      ...group.map((label) => label ?? words.noValue),
      ...(hasSplit ? [split && (labelOf(split) ?? words.noValue)] : []),
      ...values,
      ...(compared.get(key) ?? []),
    ]);
  return writeCsv([header, ...rows]);
}
