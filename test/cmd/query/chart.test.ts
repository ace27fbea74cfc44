import { describe, expect, test } from "vitest";
import { formatChart } from "../../../cmd/query/chart.ts";
import type { QueryData } from "../../../cmd/query/series.ts";
import { formatResult, formatUsers } from "../../../cmd/query/table.ts";

const plain = { columns: 40, rows: 4, hasColors: false };
const entry = (values: string[], ...group: string[]) => ({ group_cols: group, group_num: 1, values });
const data = (x: string[], ...entries: ReturnType<typeof entry>[]): QueryData => ({
  x,
  y: [{ "a.SUM": entries }],
});

describe("a table of a result", () => {
  test("buckets across, values on the right, what was resolved below", () => {
    const result = {
      ...data(["d1", "d2"], entry(["1000", "-"], "Berlin"), entry(["2.50", "12.34%"], "(null)")),
      range: { start_time: "2026-08-01 00:00:00", end_time: "2026-08-02 23:59:59" },
      zone: 5.5,
      union_group_num: 2,
      cached: true,
      truncated: true,
    };
    expect(formatResult(result)).toBe(`METRIC            d1      d2
a.SUM · Berlin  1000       -
a.SUM · (null)  2.50  12.34%
2026-08-01 00:00:00 to 2026-08-02 23:59:59, zone +5.5, 2 groups, groups were left out, kept result
`);
  });

  test("compared values stand below their own", () => {
    const compared = { ...entry(["1"], "Overall"), values_compared: ["2"] };
    const result = { ...data(["d2"], compared), x_compared: ["d1"] };
    expect(formatResult(result)).toBe(`METRIC            d2 | d1
a.SUM                   1
a.SUM · compared        2
`);
  });

  test("many buckets go down, and as many series as there is room for", () => {
    const x = Array.from({ length: 9 }, (_, i) => `d${i}`);
    const entries = Array.from({ length: 8 }, (_, i) => entry(x, `g${i}`));
    const lines = formatResult(data(x, ...entries)).split("\n");
    expect(lines[0]).toBe("TIME  a.SUM · g0  a.SUM · g1  a.SUM · g2  a.SUM · g3  a.SUM · g4  a.SUM · g5");
    expect(lines.slice(-2)).toEqual(["2 more series are in --json and --csv", ""]);
  });

  test("no groups, and what is no result", () => {
    expect(formatResult(data(["d1"]))).toBe("no groups\n");
    expect(() => formatResult({} as never)).toThrow("the response is not an event analysis result");
  });

  test("texts of strangers can't steer the terminal", () => {
    expect(formatResult(data(["d1"], entry(["1"], "\u001b[2J")))).not.toContain("\u001b");
  });
});

describe("a chart of a result", () => {
  test("a line over time, with a gap where there is no value", () => {
    const x = ["08-01", "08-02", "08-03", "08-04", "08-05"];
    expect(formatChart(data(x, entry(["0", "10", "-", "10", "20"], "Overall")), plain)).toBe(
      ` 20 ┤                              ╭──
 15 ┤                          ╭───╯
 10 ┤      ╭──                ─╯
  5 ┤  ╭───╯
  0 ┤──╯
     08-01          08-03         08-05
── a.SUM
`,
    );
  });

  test("a range that is compared begins with the other, and ends where it ends", () => {
    const x = ["08-01", "08-02", "08-03", "08-04", "08-05"];
    const compared = { ...entry(["1", "2", "3", "4", "5"], "Overall"), values_compared: ["5", "5"] };
    const chart = formatChart({ ...data(x, compared), x_compared: ["07-01", "07-02"] }, plain);
    const [, second = ""] = chart.split("── a.SUM\n");
    expect(second).toBe(`
 5.0 ┤─────────
 3.8 ┤
 2.5 ┤
 1.3 ┤
 0.0 ┤
      08-01         08-03         08-05
── a.SUM · compared, 07-01 … 07-02
`);
  });

  test("with colours all lines share one chart, without each has its own", () => {
    const result = data(["a", "b"], entry(["1", "2"], "x"), entry(["3", "1"], "y"));
    expect(formatChart(result, { ...plain, hasColors: true }).match(/┤/g)).toHaveLength(5);
    expect(formatChart(result, plain).match(/┤/g)).toHaveLength(10);
  });

  test("more buckets than columns, a flat line, nothing at all", () => {
    const x = Array.from({ length: 500 }, (_, i) => `d${i}`);
    const long = formatChart(data(x, entry(x.map(() => "7"))), plain);
    expect(Math.max(...long.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(40);
    expect(long).toContain(" 7.0 ┤──");
    expect(formatChart(data(x, entry(x.map(() => "-"))), plain)).toBe("nothing to draw: no values\n");
  });

  test("labels of whole numbers are whole where that costs few rows", () => {
    const axisOf = (...values: string[]) =>
      formatChart(data(values, entry(values)), { ...plain, rows: 6 }).match(/^ +\S+(?= ┤)/gm);
    expect(axisOf("3", "8")).toEqual(["  8", "  7", "  6", "  5", "  4", "  3"]);
    expect(axisOf("0", "7")?.length).toBe(7);
    expect(axisOf("3.5", "8")?.length).toBe(7);
  });

  test("bars where there is one bucket", () => {
    const result = data(["total"], entry(["4"], "x"), entry(["1"], "long"));
    expect(formatChart(result, { ...plain, columns: 30 })).toBe(
      `a.SUM · x    4 ${"█".repeat(14)}\na.SUM · long 1 ████\n`,
    );
  });
});

test("a table of users", () => {
  const datalist = [
    { "#user_id": 1, vip: 3, "#account_id": "a", "#distinct_id": "", city: "Köln" },
    { "#user_id": 12, "#account_id": "b", "#distinct_id": "d" },
  ];
  expect(formatUsers({ datalist, columMeta: { vip: "VIP level" }, truncated: true })).toBe(
    `#user_id  #account_id  #distinct_id  city  VIP level
       1  a                          Köln          3
      12  b            d
2 users, others were left out
`,
  );
  expect(formatUsers({})).toBe("no users\n");
});
