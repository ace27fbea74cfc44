import { block, code, pageHead, table } from "../markdown.ts";
import { drawChart } from "./chart.ts";
import { describeGrowth, stepsOf } from "./exponent.ts";
import type { Growth, PathFigures } from "./figures.ts";
import { formatCount, formatExponent, formatTime } from "./format.ts";
import { type PathText, paths } from "./paths.ts";

/** The files below `docs/`, by their names. */
export type GrowthFiles = readonly (readonly [name: string, text: string])[];

const introduction = `
What each path costs when its work grows ten and a hundred times: callers, lines, elements, records, events, groups,
days, users, recipients. The charts show which cost grows as the work, which grows less, where a path ends, and with
which message. All figures come from one command, \`node bench/growth/run.ts\`.
`;

const reading = `
Each chart has the CPU time of the server's process with all its threads, and the time by the clock until the last
response. Both axes are logarithmic: a cost that grows as the work rises in parallel with the dotted line, and the number
at each step is the exponent, which is 1 for such a cost and 0 for one that does not grow. Less than the work means an
exponent below 0.9: a fixed part, such as that of a call or of a start, is shared by more work. An exponent above 1.1 would
be faster than the work, which no path may be without a reason on this page.

Times are medians of rounds whose points are in changing order. The load generator runs on the same machine, so that the time by
the clock includes it; CPU times do not. Absolute times differ from machine to machine; exponents
hardly do. The figures are in ${code("docs/performance/growth.json")}.
`;

/** @throws Error if figures or texts of a path are missing, or a path grows faster than its work without a reason */
export function writeGrowth(growth: Growth, texts: readonly PathText[] = paths): GrowthFiles {
  checkNames(Object.keys(growth), texts);
  const parts = texts.map((text) => ({ text, figures: growth[text.name]! }));
  return [
    ["performance.md", writePage(parts)],
    ...parts.map(({ text, figures }) => [`performance/${text.name}.svg`, draw(text, figures)] as const),
  ];
}

interface Part {
  readonly text: PathText;
  readonly figures: PathFigures;
}

function checkNames(measured: readonly string[], texts: readonly PathText[]): void {
  const names = texts.map(({ name }) => name);
  const missing = [
    ...names.filter((name) => !measured.includes(name)).map((name) => `${name} has no figures`),
    ...measured.filter((name) => !names.includes(name)).map((name) => `${name} has no text`),
  ];
  if (missing.length > 0) throw new Error(`growth: ${missing.join(", ")}`);
}

const sentence = ({ text, figures }: Part): string => describeGrowth(stepsOf(figures.points), text.unit);

function draw(text: PathText, { points }: PathFigures): string {
  const [from, to] = [points[0]!, points.at(-1)!];
  const growing = describeGrowth(stepsOf(points), text.unit);
  const description = `From ${formatCount(from.work)} to ${formatCount(to.work)} ${text.unit}, the CPU time of the server grows from ${formatTime(from.cpuMs)} to ${formatTime(to.cpuMs)}: ${growing}.`;
  return drawChart({ title: text.title, description, unit: text.unit, points });
}

function writePage(parts: readonly Part[]): string {
  const rows = parts.map((part) => [
    `[${part.text.title}](#${anchorOf(part.text.title)})`,
    part.text.unit,
    `${formatCount(part.figures.points[0]!.work)} to ${formatCount(part.figures.points.at(-1)!.work)}`,
    stepsOf(part.figures.points)
      .map(({ exponent }) => formatExponent(exponent))
      .join(", "),
    sentence(part),
  ]);
  return [
    pageHead("Growth", introduction),
    "## Overview\n",
    table(["Path", "Work", "From", "Exponents", "CPU time grows"], rows),
    `## How to read the charts\n\n${reading.trim()}\n`,
    ...parts.map(writePart),
    `## Measured\n\n${measuredOn(parts)}\n`,
  ].join("\n");
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9\s-]/g, "")
    .replace(/\s/g, "-");

function writePart(part: Part): string {
  const { text, figures } = part;
  const isFaster = stepsOf(figures.points).some(({ growing }) => growing === "faster than the work");
  if (isFaster && text.faster === undefined)
    throw new Error(
      `growth: ${text.name} grows ${sentence(part)}: mend it, or say why in docs/generate/growth/paths.ts`,
    );
  return [
    `## ${text.title}\n`,
    `${text.measured}\n`,
    `![CPU time and time by the clock over ${text.unit}](performance/${text.name}.svg)\n`,
    `It grows ${sentence(part)}. ${isFaster ? `${text.faster} ` : ""}${text.reason}\n`,
    `**Limit.** ${text.limit}\n`,
    ...(figures.refusal === undefined ? [] : [block("text", figures.refusal)]),
  ].join("\n");
}

/** Lists the machine once, since most paths are measured in one run. */
function measuredOn(parts: readonly Part[]): string {
  const runs = Map.groupBy(
    parts,
    ({ figures }) => `${figures.date}, Node ${figures.node}, ${figures.machine}`,
  );
  return [...runs]
    .map(([run, own]) => {
      const loads = own.flatMap(({ figures }) => figures.points.map(({ load }) => load));
      const range = `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
      const which = runs.size === 1 ? "" : ` (${own.map(({ text }) => text.title).join("; ")})`;
      return `- ${run}, load average ${range}${which}`;
    })
    .join("\n");
}
