import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { folderWith } from "../../cmd/config/load.ts";
import type { AlertCase } from "./alert-case.ts";
import { alertCases } from "./alert-cases.ts";

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const file = "deploy/alerts.yaml";
const { groups } = parse(readFileSync(file, "utf8")) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** One case of `promtool test rules`: https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/ */
function toTest({ name, series, labels }: AlertCase, at: 0 | 1): object {
  const { severity } = rules.find(({ alert }) => alert === name)!.labels;
  const annotations = rules.find(({ alert }) => alert === name)!.annotations;
  const fired = { exp_labels: { job: "engage", severity, ...labels }, exp_annotations: annotations };
  return {
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values: values[at] })),
    alert_rule_test: [{ eval_time: "60m", alertname: name, exp_alerts: at === 0 ? [fired] : [] }],
  };
}

test("there is a case for each alert", () => {
  expect(alertCases.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
});

test("promtool accepts the rules", async () => {
  const { stdout } = await run("promtool", ["check", "rules", file]);
  expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
});

test.each([
  ["fires in its trouble", 0],
  ["does not fire within its bounds", 1],
] as const)("each alert %s", async (_what, at) => {
  const folder = folderWith({});
  copyFileSync(file, join(folder, "alerts.yaml"));
  const tests = alertCases.map((one) => toTest(one, at));
  const text = stringify({ rule_files: ["alerts.yaml"], evaluation_interval: "1m", tests });
  writeFileSync(join(folder, "tests.yaml"), text);
  const { stdout } = await run("promtool", ["test", "rules", join(folder, "tests.yaml")]).catch(
    (error) => error,
  );
  expect(stdout).toContain("SUCCESS");
});
