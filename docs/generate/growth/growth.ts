import { headingAnchor } from "../../../base/text/heading-anchor.ts";
import { block, code, pageHead, table } from "../markdown.ts";
import { drawChart } from "./chart.ts";
import { describeGrowth, isFaster, stepsOf } from "./exponent.ts";
import type { Growth, GrowthPoint, PathFigures } from "./figures.ts";
import { formatCount, formatExponent, formatTime } from "./format.ts";
import { type PathText, paths } from "./paths.ts";

/** The files below `docs/`, by their names. */
export type GrowthFiles = readonly (readonly [name: string, text: string])[];

const textsFile = "docs/generate/growth/paths.ts";

const introduction = `
What each path costs when its work grows ten and a hundred times: callers, lines, elements, records, events, groups,
days, users, recipients. The charts show which cost grows as the work, which grows less, where a path ends, and with
which message. All figures come from one command, \`node bench/growth/run.ts\`.
`;

const reading = `
Each chart has the CPU time of the server's process with all its threads, and the time by the clock until the last
response. Both axes are logarithmic: a cost that grows as the work rises in parallel with the dotted line, and the number
at each step is the exponent, which is 1 for such a cost and 0 for one that does not grow. Less than the work means an
exponent below 0.9: a fixed part, such as that of a call or of a start, is shared by more work. An exponent above 1.1 is
faster than the work, which no path may be without a reason on this page. Not measurably means that
the rounds differ by more than the step.

Times are medians of rounds whose points are in changing order. The load generator runs on the same
machine, so that the time by the clock includes it; CPU times do not. Absolute times differ from machine
to machine. The figures are in ${code("docs/performance/growth.json")} in the repository.
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
    `[${part.text.title}](#${headingAnchor(part.text.title)})`,
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

function writePart(part: Part): string {
  const { text, figures } = part;
  const why = whyFaster(part);
  return [
    `## ${text.title}\n`,
    `${text.measured}\n`,
    `![CPU time and time by the clock over ${text.unit}](performance/${text.name}.svg)\n`,
    `It grows ${sentence(part)}. ${why === undefined ? "" : `${why} `}${text.reason}\n`,
    `**Limit.** ${text.limit}\n`,
    ...(figures.refusal === undefined ? [] : [block("text", figures.refusal)]),
  ].join("\n");
}

/** Returns how much faster a path grows than its work, and why. @throws Error if its texts do not allow it */
function whyFaster({ text: { name, unit, faster }, figures }: Part): string | undefined {
  const steps = stepsOf(figures.points).filter(isFaster);
  const most = Math.max(...steps.map(({ exponent }) => exponent));
  const fault = (words: string): Error => new Error(`growth: ${name} ${words}`);
  if (steps.length === 0) {
    if (faster !== undefined)
      throw fault(`grows no faster than the work: remove "faster" of its ${textsFile}`);
    return undefined;
  }
  const grows = `grows by an exponent of ${formatExponent(most)}, faster than the work`;
  if (faster === undefined) throw fault(`${grows}: mend it, or say why in ${textsFile}`);
  if (most > faster.upTo) throw fault(`${grows} and than ${faster.upTo}, which ${textsFile} allows: mend it`);
  return `${compareEach(figures.points, steps.at(-1)!.to, unit)} ${faster.why}`;
}

/** Compares what one costs, where it costs least, with what it costs at the end of a step. */
function compareEach(points: readonly GrowthPoint[], to: number, unit: string): string {
  const each = points.filter(({ work }) => work <= to).map(({ work, cpuMs }) => ({ work, ms: cpuMs / work }));
  const least = each.reduce((best, one) => (one.ms < best.ms ? one : best));
  const last = each.at(-1)!;
  const percent = Math.round((last.ms / least.ms - 1) * 100);
  return `Each of ${formatCount(last.work)} ${unit} takes ${formatTime(last.ms)}, ${percent} % more than each of ${formatCount(least.work)}.`;
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
