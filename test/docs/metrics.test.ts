import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { alerts } from "../../docs/generate/metrics/alerts.ts";
import { labelTexts } from "../../docs/generate/metrics/labels.ts";
import { listMetrics } from "../../docs/generate/metrics/registry.ts";

const metrics = listMetrics().filter(({ name }) => name.startsWith("engage_"));
const names = metrics.map(({ name }) => name);

describe("the page of metrics", () => {
  it("has every metric in the code", () => {
    const inSources = ["cmd/serve/metrics", "gateway/metrics"]
      .flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")))
      .flatMap((text) => [...text.matchAll(/"(engage_[a-z0-9_]+)"/g)])
      .map((match) => match[1]!);
    expect([...names].sort()).toEqual([...new Set(inSources)].sort());
  });

  it("has a text, and an idea for an alert or the reason why it needs no alert", () => {
    expect(metrics.filter(({ help }) => help === "")).toEqual([]);
    expect(Object.keys(alerts).sort()).toEqual([...names].sort());
  });

  it("explains every label, and no other", () => {
    const labels = new Set(metrics.flatMap((metric) => metric.labels));
    expect(Object.keys(labelTexts).sort()).toEqual([...labels].sort());
  });

  it("names existing metrics and labels in alerts", () => {
    const series = new Map(
      metrics.flatMap(({ name, type, labels }) => [
        [name, labels] as const,
        ...(type === "histogram" ? [[`${name}_bucket`, [...labels, "le"]] as const] : []),
      ]),
    );
    for (const alert of Object.values(alerts)) {
      const expression = alert?.expression ?? "";
      for (const [, name = "", selector = ""] of expression.matchAll(/\b(engage_\w+)(?:\{([^}]*)\})?/g)) {
        expect(series.has(name), name).toBe(true);
        for (const [, label = ""] of selector.matchAll(/(\w+)[=!]/g))
          expect(series.get(name)).toContain(label);
      }
      for (const [, by = ""] of expression.matchAll(/by \(([^)]*)\)/g)) {
        const [, name = ""] = /(engage_\w+)/.exec(expression) ?? [];
        for (const label of by.split(", ")) expect(series.get(name)).toContain(label);
      }
    }
  });
});
