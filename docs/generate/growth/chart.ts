import { escapeHtml } from "../../../base/text/escape-html.ts";
import { stepsOf } from "./exponent.ts";
import type { GrowthPoint } from "./figures.ts";
import { formatCount, formatExponent, formatTime } from "./format.ts";

/** What a chart shows. */
export interface Chart {
  readonly title: string;
  /** One sentence that says what the picture shows. */
  readonly description: string;
  /** Unit of the work, such as "lines". */
  readonly unit: string;
  readonly points: readonly GrowthPoint[];
}

const size = { width: 720, height: 400 };
/** The area of the axes. */
const plot = { left: 84, right: 700, top: 56, bottom: 340 };

/** Both axes are logarithmic, so that a straight line is a power of the work and its slope the exponent. */
interface Axes {
  readonly x: (work: number) => number;
  readonly y: (ms: number) => number;
  readonly works: readonly number[];
  readonly times: readonly number[];
}

/** The colours follow the browser; nothing is loaded. */
const style = `
svg { color-scheme: light dark; font: 13px system-ui, sans-serif; }
.back { fill: #ffffff; } .grid { stroke: #dfe4ea; } .axis { stroke: #7b8594; }
text { fill: #3c4553; } .title { font-size: 15px; font-weight: 600; fill: #1d2430; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.cpu { stroke: #0b57c2; } .cpu-dot { fill: #0b57c2; } .exponent { fill: #0b57c2; }
.clock { stroke: #a15c00; } .clock-dot { fill: #ffffff; stroke: #a15c00; } .work { stroke: #7b8594; }
path { fill: none; stroke-width: 1; } .cpu { stroke-width: 2; }
.clock { stroke-width: 1.5; stroke-dasharray: 6 4; } .work { stroke-width: 1.5; stroke-dasharray: 2 4; }
@media (prefers-color-scheme: dark) {
.back { fill: #12161d; } .grid { stroke: #2a323e; } .axis { stroke: #8a95a5; }
text { fill: #b9c2cf; } .title { fill: #dfe4ec; }
.cpu { stroke: #7ab0ff; } .cpu-dot { fill: #7ab0ff; } .exponent { fill: #7ab0ff; }
.clock { stroke: #f0b35a; } .clock-dot { fill: #12161d; stroke: #f0b35a; } .work { stroke: #8a95a5; }
}`;

/** Draws the times over the work as an SVG, and the line of a cost that grows as the work, from the first point on. */
export function drawChart({ title, description, unit, points }: Chart): string {
  const first = points[0]!;
  const last = points.at(-1)!;
  const asWork = [
    { work: first.work, ms: first.cpuMs },
    { work: last.work, ms: (first.cpuMs * last.work) / first.work },
  ];
  const cpu = points.map(({ work, cpuMs }) => ({ work, ms: cpuMs }));
  const clock = points.map(({ work, clockMs }) => ({ work, ms: clockMs }));
  const axes = axesOf([...cpu, ...clock, ...asWork]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escapeHtml(title)}</title>`,
    `<desc id="description">${escapeHtml(description)}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="back" width="${size.width}" height="${size.height}"/>`,
    text("title", plot.left, 24, title),
    ...drawAxes(axes, unit),
    line("work", asWork, axes),
    line("clock", clock, axes),
    line("cpu", cpu, axes),
    ...clock.map((point) => dot("clock-dot", point, axes)),
    ...cpu.map((point) => dot("cpu-dot", point, axes)),
    ...drawExponents(points, axes),
    ...drawLegend(),
    "</svg>\n",
  ].join("\n");
}

interface Place {
  readonly work: number;
  readonly ms: number;
}

function axesOf(places: readonly Place[]): Axes {
  const works = places.map(({ work }) => work);
  const times = places.map(({ ms }) => ms);
  return {
    x: scale(Math.min(...works), Math.max(...works), plot.left + 24, plot.right - 40),
    y: scale(10 ** firstDecade(times), 10 ** lastDecade(times), plot.bottom, plot.top),
    works: decades(Math.ceil(exponentOf(Math.min(...works))), Math.floor(exponentOf(Math.max(...works)))),
    times: decades(firstDecade(times), lastDecade(times)),
  };
}

/** Returns the power of ten, rounded so that it is whole where it should be. */
const exponentOf = (value: number): number => Math.round(Math.log10(value) * 1e9) / 1e9;
const firstDecade = (values: readonly number[]): number => Math.floor(exponentOf(Math.min(...values)));
const lastDecade = (values: readonly number[]): number =>
  Math.max(firstDecade(values) + 1, Math.ceil(exponentOf(Math.max(...values))));

/** Returns the powers of ten between two exponents. */
function decades(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => Number(`1e${from + at}`));
}

function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  const [low, span] = [Math.log10(from), Math.log10(to / from)];
  return (value) => start + ((Math.log10(value) - low) / span) * (end - start);
}

function drawAxes({ x, y, works, times }: Axes, unit: string): readonly string[] {
  return [
    ...times.map((ms) => segment("grid", plot.left, y(ms), plot.right, y(ms))),
    ...works.map((work) => segment("grid", x(work), plot.top, x(work), plot.bottom)),
    segment("axis", plot.left, plot.bottom, plot.right, plot.bottom),
    segment("axis", plot.left, plot.top, plot.left, plot.bottom),
    ...times.map((ms) => text("end", plot.left - 8, y(ms) + 4, formatTime(ms))),
    ...works.map((work) => text("middle", x(work), plot.bottom + 18, formatCount(work))),
    text("middle", (plot.left + plot.right) / 2, plot.bottom + 38, unit),
    text("", 12, 42, "time"),
  ];
}

/** Writes the exponent of each step beside the middle of its line. */
function drawExponents(points: readonly GrowthPoint[], { x, y }: Axes): readonly string[] {
  return stepsOf(points).map(({ exponent }, at) => {
    const [from, to] = [points[at]!, points[at + 1]!];
    const middle = { x: (x(from.work) + x(to.work)) / 2, y: (y(from.cpuMs) + y(to.cpuMs)) / 2 };
    const below = middle.y + 18;
    const isWithin = below < plot.bottom - 4;
    return text("exponent", middle.x + 6, isWithin ? below : middle.y - 8, formatExponent(exponent));
  });
}

function drawLegend(): readonly string[] {
  const names = [
    ["cpu", "CPU time of the server", 0],
    ["clock", "by the clock", 220],
    ["work", "as the work grows", 370],
  ] as const;
  const y = size.height - 8;
  return names.flatMap(([name, label, right]) => {
    const x = plot.left + right;
    return [segment(name, x, y - 4, x + 30, y - 4), text("", x + 38, y, label)];
  });
}

function line(name: string, places: readonly Place[], { x, y }: Axes): string {
  return `<path class="${name}" d="M${places.map(({ work, ms }) => `${round(x(work))} ${round(y(ms))}`).join(" L")}"/>`;
}

function segment(name: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<path class="${name}" d="M${round(x1)} ${round(y1)} L${round(x2)} ${round(y2)}"/>`;
}

function dot(name: string, { work, ms }: Place, { x, y }: Axes): string {
  return `<circle class="${name}" cx="${round(x(work))}" cy="${round(y(ms))}" r="4"/>`;
}

function text(name: string, x: number, y: number, label: string): string {
  const of = name === "" ? "" : ` class="${name}"`;
  return `<text${of} x="${round(x)}" y="${round(y)}">${escapeHtml(label)}</text>`;
}

/** Rounds to a tenth of a pixel, so that other versions of Node write the same. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
