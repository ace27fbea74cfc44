import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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

  it("has a text", () => {
    expect(metrics.filter(({ help }) => help === "")).toEqual([]);
  });

  it("explains every label, and no other", () => {
    const labels = new Set(metrics.flatMap((metric) => metric.labels));
    expect(Object.keys(labelTexts).sort()).toEqual([...labels].sort());
  });
});
