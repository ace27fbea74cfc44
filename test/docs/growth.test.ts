import { describe, expect, it, test } from "vitest";
import { drawChart } from "../../docs/generate/growth/chart.ts";
import { describeGrowth, isFaster, stepsOf } from "../../docs/generate/growth/exponent.ts";
import type { GrowthPoint, PathFigures } from "../../docs/generate/growth/figures.ts";
import { formatTime } from "../../docs/generate/growth/format.ts";
import { writeGrowth } from "../../docs/generate/growth/growth.ts";
import type { PathText } from "../../docs/generate/growth/paths.ts";

type Costs = readonly (readonly [work: number, cpuMs: number])[];

const pointsOf = (costs: Costs): readonly GrowthPoint[] =>
  costs.map(([work, cpuMs]) => ({ work, cpuMs, clockMs: cpuMs * 2, rounds: 5, load: 0.5 }));

describe("the growth of a cost", () => {
  it.each<[string, Costs]>([
    [
      "as the work",
      [
        [1, 2],
        [10, 20],
        [100, 200],
      ],
    ],
    [
      "as the work",
      [
        [1, 1],
        [100, 79.5],
      ],
    ],
    [
      "not at all",
      [
        [1_000, 3],
        [10_000, 3.5],
        [100_000, 3],
      ],
    ],
    [
      "not measurably up to 10 lines, then not at all",
      [
        [1, 3],
        [10, 1],
        [100, 1],
      ],
    ],
    [
      "less than the work",
      [
        [1, 1],
        [10, 1.3],
        [100, 10],
      ],
    ],
    [
      "faster than the work",
      [
        [1, 1],
        [10, 12.7],
      ],
    ],
    [
      "not at all up to 10 lines, then as the work",
      [
        [1, 1],
        [10, 1],
        [100, 10],
        [1_000, 100],
      ],
    ],
    [
      "not at all up to 10 lines, less than the work up to 10,000 lines, then faster than the work",
      [
        [1, 1],
        [10, 1],
        [100, 5],
        [10_000, 50],
        [20_000, 200],
      ],
    ],
  ])("%s", (words, costs) => {
    expect(describeGrowth(stepsOf(pointsOf(costs)), "lines")).toBe(words);
  });

  it.each([
    [[0.9, 1.1], [9, 11], "as the work", false],
    [[1, 1], [5, 12], "as the work", false],
    [[0.2, 5], [5, 15], "not measurably", false],
    [[0.2, 5], [5, 80], "not measurably", true],
  ] as const)("with rounds of %j and %j ms grows %s", (from, to, growing, faster) => {
    const middle = ([least, most]: readonly [number, number]) => (least + most) / 2;
    const [step] = stepsOf([
      { work: 1, cpuMs: middle(from), cpuRangeMs: { least: from[0], most: from[1] } },
      { work: 10, cpuMs: middle(to), cpuRangeMs: { least: to[0], most: to[1] } },
    ]);
    expect([step!.growing, isFaster(step!)]).toEqual([growing, faster]);
  });

  it("is the slope between two points, however far apart", () => {
    const exponents = stepsOf(
      pointsOf([
        [1, 3],
        [4, 12],
        [400, 120],
      ]),
    ).map(({ exponent }) => exponent);
    expect(exponents).toEqual([expect.closeTo(1), expect.closeTo(0.5)]);
  });
});

test.each([
  [0.0101, "10 µs"],
  [0.25, "250 µs"],
  [1, "1 ms"],
  [14.6, "15 ms"],
  [994, "990 ms"],
  [999.6, "1 s"],
  [0.9996, "1 ms"],
  [1_540, "1.5 s"],
  [1_234_567, "1,235 s"],
])("%s ms are written as %s", (ms, text) => {
  expect(formatTime(ms)).toBe(text);
});

describe("a chart", () => {
  const draw = (costs: Costs, unit = "lines") =>
    drawChart({ title: "A <path>", description: "It & more.", unit, points: pointsOf(costs) });
  const lineOf = (svg: string, name: string) =>
    /M(\S+) (\S+) L(?:.* L)?(\S+) (\S+)$/
      .exec(new RegExp(`<path class="${name}" d="(.*?)"`).exec(svg)![1]!)!
      .slice(1)
      .map(Number);
  const textsOf = (svg: string, name: string) =>
    [...svg.matchAll(new RegExp(`<text class="${name}".*?>(.*?)</text>`, "g"))].map(([, label]) => label);

  it("draws a cost that grows as the work on the line of the work", () => {
    const svg = draw([
      [1, 2],
      [10, 20],
      [100, 200],
    ]);
    expect(lineOf(svg, "cpu")).toEqual(lineOf(svg, "work"));
    expect(textsOf(svg, "exponent")).toEqual(["1.00", "1.00"]);
  });

  it("draws a cost that does not grow as a level line", () => {
    const [, from, , to] = lineOf(
      draw([
        [1, 5],
        [10, 5],
      ]),
      "cpu",
    );
    expect(to).toBe(from);
  });

  it.each<[string, Costs]>([
    [
      "the times by the clock",
      [
        [1, 5],
        [1_000, 9],
      ],
    ],
    [
      "a work between powers of ten",
      [
        [1, 5],
        [365, 7],
      ],
    ],
    [
      "times of microseconds and seconds",
      [
        [10, 0.002],
        [100_000, 5_000],
      ],
    ],
  ])("has %s within its axes", (_, costs) => {
    const svg = draw(costs);
    const places = [...svg.matchAll(/<circle .*?cx="(.*?)" cy="(.*?)"/g)].map((found) =>
      found.slice(1).map(Number),
    );
    expect(places).toHaveLength(2 * costs.length);
    for (const [x, y] of places as [number, number][]) {
      expect([x >= 84, x <= 700, y >= 56, y <= 340]).toEqual([true, true, true, true]);
    }
  });

  it("labels the powers of ten of both axes", () => {
    const svg = draw(
      [
        [1, 0.5],
        [365, 20],
      ],
      "days",
    );
    expect(textsOf(svg, "end")).toEqual(["100 µs", "1 ms", "10 ms", "100 ms", "1 s"]);
    expect(textsOf(svg, "middle")).toEqual(["1", "10", "100", "days"]);
  });

  it("names itself, escapes texts and loads nothing", () => {
    const svg = draw([
      [1, 1],
      [10, 10],
    ]);
    expect(svg).toContain(
      '<title id="title">A &lt;path&gt;</title>\n<desc id="description">It &amp; more.</desc>',
    );
    expect(svg).toContain("@media (prefers-color-scheme: dark)");
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/http|url\(|href|<script/);
  });
});

describe("the page", () => {
  const text: PathText = {
    name: "lines",
    title: "Lines of a call",
    unit: "lines",
    measured: "A call.",
    reason: "A call is small.",
    limit: "None.",
  };
  const figuresOf = (costs: Costs): PathFigures => ({
    date: "2026-01-02",
    node: "26.1.0",
    machine: "2 cores",
    points: pointsOf(costs),
  });
  const faster = {
    lines: figuresOf([
      [1, 1],
      [10, 20],
    ]),
  };

  it("has the words, the chart and the message beyond the limit of each path", () => {
    const files = writeGrowth(
      {
        lines: {
          ...figuresOf([
            [1, 1],
            [10, 10],
          ]),
          refusal: "too | many",
        },
      },
      [text],
    );
    expect(files.map(([name]) => name)).toEqual(["performance.md", "performance/lines.svg"]);
    const [[, page]] = files as [readonly [string, string]];
    expect(page).toContain("| [Lines of a call](#lines-of-a-call) | lines | 1 to 10 | 1.00 | as the work |");
    expect(page).toContain("It grows as the work. A call is small.");
    expect(page).toContain("(performance/lines.svg)");
    expect(page).toContain("**Limit.** None.\n\n```text\ntoo | many\n```");
    expect(page).toContain("- 2026-01-02, Node 26.1.0, 2 cores, load average 0.5 to 0.5");
  });

  it("says how much faster than its work a path grows, and why", () => {
    const [[, page]] = writeGrowth(faster, [{ ...text, faster: { upTo: 1.4, why: "Because." } }]) as [
      readonly [string, string],
    ];
    expect(page).toContain(
      "It grows faster than the work. Each of 10 lines takes 2 ms, 100 % more than each of 1. Because. A call is small.",
    );
  });

  it.each([
    [20, undefined, "grows by an exponent of 1.30, faster than the work: mend it, or say why in"],
    [20, 1.25, "grows by an exponent of 1.30, faster than the work and than 1.25, which"],
    [10, 1.25, 'grows no faster than the work: remove "faster" of its'],
  ])("is not written for 1 to %d ms where %s is allowed", (ms, upTo, fault) => {
    const lines = figuresOf([
      [1, 1],
      [10, ms],
    ]);
    const own = upTo === undefined ? text : { ...text, faster: { upTo, why: "Because." } };
    expect(() => writeGrowth({ lines }, [own])).toThrow(
      `growth: lines ${fault} docs/generate/growth/paths.ts`,
    );
  });

  it.each([
    [{}, [text], "lines has no figures"],
    [faster, [], "lines has no text"],
  ])("is not written without figures or texts", (growth, texts, fault) => {
    expect(() => writeGrowth(growth, texts)).toThrow(`growth: ${fault}`);
  });
});
