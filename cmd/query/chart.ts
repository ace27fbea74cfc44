import asciichart from "asciichart";
import { printable } from "../terminal/table.ts";
import { nameOf, numberOf, type QueryData, type Series, seriesOf } from "./series.ts";
import { describeResult } from "./table.ts";

export interface ChartSize {
  /** The width in characters. */
  readonly columns: number;
  readonly rows: number;
  readonly hasColors: boolean;
}

/** The most lines that can be distinguished. */
const maxSeries = 7;
const colors = [
  "\u001b[36m",
  "\u001b[33m",
  "\u001b[32m",
  "\u001b[35m",
  "\u001b[34m",
  "\u001b[31m",
  "\u001b[37m",
];
const reset = "\u001b[0m";
const axis = "┤";
/** The symbols in the order of the library. The first two are the same, so that the axis has no mark at zero. */
const symbols = [axis, axis, "╶", "╴", "─", "╰", "╭", "╮", "╯", "│"];
/** The number of characters between the labels of the values and the first bucket. */
const axisWidth = 3;

/** Formats a result as a chart for the terminal: lines over time, or bars for a single bucket. */
export function formatChart(data: QueryData, size: ChartSize): string {
  // Compared ranges start at the same column, whatever their lengths.
  const buckets = Math.max(data.x.length, data.x_compared?.length ?? 0);
  const all = seriesOf(data).map((series) => ({
    series,
    numbers: Array.from({ length: buckets }, (_, at) => numberOf(series.values[at])),
  }));
  const series = all.filter(({ numbers }) => numbers.some(Number.isFinite));
  if (series.length === 0) return `nothing to draw: no values\n${describeResult(data)}`;
  if (buckets <= 1)
    return `${drawBars(
      series.map(({ series }) => series),
      size,
    )}${describeResult(data)}`;
  const shown = series.slice(0, maxSeries);
  const left = series.length - shown.length;
  const more = left > 0 ? `${left} more series are not drawn\n` : "";
  // Each line gets its own chart if there are no colours.
  const charts = size.hasColors ? [shown] : shown.map((one) => [one]);
  const drawn = charts.map((lines) => drawLines(data, lines, size)).join("\n");
  return `${drawn}${more}${describeResult(data)}`;
}

interface Line {
  readonly series: Series;
  /** The values; NaN for no value. */
  readonly numbers: readonly number[];
}

function drawLines(
  { x, x_compared: compared = [] }: QueryData,
  lines: readonly Line[],
  size: ChartSize,
): string {
  const known = lines.flatMap(({ numbers }) => numbers.filter(Number.isFinite));
  const [min, max] = boundsOf(known);
  const rows = known.every(Number.isInteger) ? wholeRows(max - min, size.rows) : size.rows;
  const write = createLabels(min, max, rows);
  const steps = Array.from({ length: rows + 1 }, (_, i) => write(min + ((max - min) * i) / rows));
  // The library misaligns shorter labels.
  const labelWidth = Math.max(2, ...steps.map(({ length }) => length)) + 1;
  const width = Math.max(10, size.columns - labelWidth - axisWidth);
  const format = (value: number) => write(value).padStart(labelWidth);
  const grids = lines.map(({ numbers }) =>
    drawOne(stretch(numbers, width), { min, max, height: rows, format, symbols }),
  );
  const chart = overlay(grids, size.hasColors);
  const legend = lines.map(({ series }, i) => {
    const range = series.isCompared ? `, ${compared[0]} … ${compared.at(-1)}` : "";
    return `${paint("──", i, size.hasColors)} ${printable(`${nameOf(series)}${range}`)}`;
  });
  return `${chart}\n${" ".repeat(labelWidth + axisWidth - 1)}${drawAxis(x, lines[0]!.numbers.length, width)}\n${legend.join("\n")}\n`;
}

/** Returns a number of rows that gives integers integer labels, if that is more than half of the possible rows. */
function wholeRows(range: number, most: number): number {
  for (let rows = most; rows > most / 2; rows--) if (range % rows === 0) return rows;
  return most;
}

/** Returns the bounds of the chart. A constant line gets a bound at zero, so that the chart has a height. */
function boundsOf(numbers: readonly number[]): readonly [min: number, max: number] {
  const min = numbers.reduce((least, number) => Math.min(least, number));
  const max = numbers.reduce((most, number) => Math.max(most, number));
  if (min < max) return [min, max];
  return [Math.min(0, min), max === 0 ? 1 : Math.max(0, max)];
}

type PlotOptions = NonNullable<Parameters<typeof asciichart.plot>[1]>;

/**
 * Draws one line as characters by row. The library does not support missing values, so they are drawn and then erased.
 */
function drawOne(points: readonly number[], options: PlotOptions): readonly string[][] {
  const first = points.find(Number.isFinite) ?? 0;
  let last = first;
  const filled = points.map((point) => (last = Number.isFinite(point) ? point : last));
  const rows = asciichart
    .plot(filled, options)
    .split("\n")
    .map((row) => [...row]);
  const from = Math.max(...rows.map((row) => row.indexOf(axis))) + 1;
  for (const [i, point] of points.entries()) {
    if (Number.isFinite(point)) continue;
    for (const row of rows) if (row[from + i] !== undefined) row[from + i] = " ";
  }
  return rows;
}

/** Draws charts over each other. Later lines cover earlier ones. */
function overlay(grids: readonly (readonly string[][])[], hasColors: boolean): string {
  const [first = []] = grids;
  const rows = first.map((row, at) => {
    const axisAt = row.indexOf(axis);
    const width = Math.max(...grids.map((grid) => grid[at]?.length ?? 0));
    const cells = Array.from({ length: width }, (_, column) => {
      const top = grids.findLastIndex((grid) => (grid[at]?.[column] ?? " ") !== " ");
      const char = grids[top]?.[at]?.[column] ?? " ";
      return column <= axisAt ? (row[column] ?? " ") : paint(char, top, hasColors && char !== " ");
    });
    return cells.join("").trimEnd();
  });
  return rows.join("\n");
}

function paint(text: string, series: number, hasColors: boolean): string {
  return hasColors ? `${colors[series % colors.length]}${text}${reset}` : text;
}

/**
 * Returns one point for each column: interpolated linearly, or the nearest one if there are more buckets than columns.
 */
function stretch(numbers: readonly number[], width: number): readonly number[] {
  return Array.from({ length: width }, (_, column) => {
    const place = (column * (numbers.length - 1)) / (width - 1);
    const [before, after] = [numbers[Math.floor(place)] as number, numbers[Math.ceil(place)] as number];
    if (numbers.length > width) return numbers[Math.round(place)] as number;
    const share = place - Math.floor(place);
    return share === 0 ? before : before + (after - before) * share;
  });
}

/** Labels of axes and bars leave room for the chart. */
const maxLabelLength = 100;

/** Draws the first and the last label, and as many evenly spaced ones between them as fit. */
function drawAxis(x: readonly string[], buckets: number, width: number): string {
  const labels = Array.from({ length: buckets }, (_, at) => printable(x[at] ?? "", maxLabelLength));
  const widest = Math.max(...labels.map(({ length }) => length));
  const columnsEach = (width - 1) / (buckets - 1);
  // Labels are centered at their buckets, except the first one, which begins there, and the last one, which ends there.
  const step = Math.max(1, Math.ceil((widest * 1.5 + 1) / columnsEach));
  const last = labels.at(-1) ?? "";
  const lastStart = width - last.length;
  let line = labels[0] ?? "";
  for (let bucket = step; bucket < buckets - 1; bucket += step) {
    const label = labels[bucket] ?? "";
    const start = Math.round(bucket * columnsEach) - Math.floor(label.length / 2);
    const hasRoom = start > line.length && start + label.length < lastStart;
    if (hasRoom) line = line.padEnd(start) + label;
  }
  return lastStart > line.length ? line.padEnd(lastStart) + last : line;
}

function drawBars(series: readonly Series[], { columns, rows, hasColors }: ChartSize): string {
  const shown = series.slice(0, Math.max(rows, maxSeries));
  const names = shown.map((one) => printable(nameOf(one), maxLabelLength));
  const numbers = shown.map(({ values }) => numberOf(values[0]));
  const nameWidth = Math.max(...names.map(({ length }) => length));
  const valueWidth = Math.max(...shown.map(({ values }) => (values[0] ?? "").length));
  const largest = Math.max(...numbers.map(Math.abs), Number.MIN_VALUE);
  const room = Math.max(10, columns - nameWidth - valueWidth - 3);
  const lines = shown.map(({ values }, i) => {
    const bar = "█".repeat(Math.round((Math.abs(numbers[i] ?? 0) / largest) * room));
    return `${names[i]?.padEnd(nameWidth)} ${(values[0] ?? "").padStart(valueWidth)} ${paint(bar, 0, hasColors)}\n`;
  });
  const left = series.length - shown.length;
  return `${lines.join("")}${left > 0 ? `${left} more series are not drawn\n` : ""}`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Returns a formatter of values: large ones as `1.2K`, small ones with the digits that distinguish the rows. */
function createLabels(min: number, max: number, rows: number): (value: number) => string {
  if (Math.max(Math.abs(min), Math.abs(max)) >= 1_000) return (value) => compact.format(value);
  const step = (max - min) / rows;
  const values = Array.from({ length: rows + 1 }, (_, i) => min + i * step);
  const areDistinct = (digits: number) =>
    values.every((value) => Math.abs(Number(value.toFixed(digits)) - value) < step / 20);
  const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8].find(areDistinct) ?? 9;
  return (value) => (Math.abs(value) < 10 ** -digits / 2 ? 0 : value).toFixed(digits);
}
