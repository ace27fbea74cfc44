import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plans } from "../../deploy/generate/dashboards/dashboards.ts";
import { listMetrics } from "../../docs/generate/metrics/registry.ts";
import { metricOf, seriesIn, unknownIn } from "./promql.ts";

interface GrafanaPanel {
  readonly id: number;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const folder = "deploy/grafana";
const panels = plans.flatMap(({ name, rows }) =>
  rows.flatMap((row) =>
    row.panels.map((panel) => ({ place: `${name}: ${row.title}: ${panel.title}`, panel })),
  ),
);

describe("panels", () => {
  it.each(panels)("$place name existing metrics and labels", ({ panel }) => {
    const expressions = panel.queries.map(({ expression }) => expression);
    expect(expressions.flatMap(unknownIn)).toEqual([]);
    expect(expressions.flatMap(seriesIn)).not.toEqual([]);
    expect(panel.text).toMatch(/\.$/);
  });

  it("name series by labels that they have", () => {
    for (const { panel } of panels)
      for (const { expression, legend } of panel.queries)
        for (const [, label = ""] of legend.matchAll(/\{\{(\w+)\}\}/g))
          expect(expression).toMatch(new RegExp(`by \\(([^)]*, )?${label}\\b`));
  });

  it("show every metric", () => {
    const shown = new Set(
      panels.flatMap(({ panel }) =>
        panel.queries.flatMap(({ expression }) => seriesIn(expression).map(metricOf)),
      ),
    );
    const own = listMetrics()
      .map(({ name }) => name)
      .filter((name) => name.startsWith("engage_"));
    expect(own.filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe.each(plans.map(({ name }) => name))("the file of %s", (name) => {
  const dashboard = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as {
    readonly panels: readonly GrafanaPanel[];
    readonly uid: string;
  };

  it("gives each panel a number and a place of its own", () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(dashboard.panels.every(({ gridPos }) => gridPos.x + gridPos.w <= 24)).toBe(true);
  });

  it("has an id that Grafana accepts", () => {
    expect(dashboard.uid).toMatch(/^[a-z-]{8,40}$/);
  });
});

it("has a file for each dashboard, and no other", () => {
  expect(readdirSync(folder).sort()).toEqual(plans.map(({ name }) => `${name}.json`).sort());
});
