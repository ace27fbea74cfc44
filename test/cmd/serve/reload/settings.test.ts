import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isWithin } from "../../../../cmd/config/problem.ts";
import { configSchema } from "../../../../cmd/config/schema/schema.ts";
import { schemasAt } from "../../../../cmd/config/schema/walk.ts";
import { createReloading, runningWith } from "../../../../cmd/serve/reload/reload.ts";
import { reloadable, restartRules } from "../../../../cmd/serve/reload/settings.ts";
import { isSection, listSections, variableOf } from "../../../../docs/generate/configuration/settings.ts";
import { loadText } from "../../config/load.ts";

const reloaded = Object.values(reloadable).flat();
const restarted = restartRules.flatMap(({ paths }) => paths);
const settings = listSections().flatMap((section) => section.settings);

describe("the lists of settings", () => {
  it("have each setting once", () => {
    const values = settings.filter(({ node }) => !isSection(node));
    const wrong = values.filter(({ path }) => {
      const places = [...reloaded, ...restarted].filter((own) => isWithin(path, own));
      return places.length !== 1;
    });
    expect(wrong.map(({ path }) => path.join("."))).toEqual([]);
    expect(values.length).toBeGreaterThan(200);
  });

  it("have no setting that does not exist", () => {
    const unknown = [...reloaded, ...restarted].filter((path) => schemasAt(configSchema, path).length === 0);
    expect(unknown).toEqual([]);
  });

  it("are what the reference says", () => {
    const reference = readFileSync("docs/reference/configuration.md", "utf8").split("\n");
    const wrong = settings.filter(({ path, node }) => {
      if (isSection(node)) return false;
      const isReloaded = reloaded.some((own) => isWithin(path, own));
      const rows = reference.filter((line) => line.includes(`\`${variableOf(path)}\``));
      return (
        rows.length === 0 || rows.some((row) => !row.endsWith(`| ${isReloaded ? "reload" : "restart"} |`))
      );
    });
    expect(wrong.map(({ path }) => path.join("."))).toEqual([]);
  });

  it("have a part for each name", () => {
    const running = runningWith(loadText("").config);
    expect(() => createReloading([], running, {})).toThrow(
      `no part reloads the settings of ${Object.keys(reloadable).join(", ")}`,
    );
  });
});
