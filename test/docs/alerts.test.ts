import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { alertGroups, withoutAlert } from "../../deploy/generate/alerts/alerts.ts";
import { docsUrl } from "../../deploy/generate/alerts/rules.ts";
import { listMetrics } from "../../docs/generate/metrics/registry.ts";
import { metricOf, seriesIn, unknownIn } from "./promql.ts";

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly annotations: { runbook_url: string } }[];
  }[];
}

const alerts = alertGroups.flatMap((group) => group.alerts);
const names = alerts.map(({ name }) => name);

describe("expressions", () => {
  it.each(alerts.map(({ name, expression }) => [name, expression]))(
    "of %s name existing metrics and labels",
    (_name, expression) => {
      expect(seriesIn(expression)).not.toEqual([]);
      expect(unknownIn(expression)).toEqual([]);
    },
  );

  it("are checked", () => {
    expect(
      unknownIn('sum by (job, other) (rate(engage_calls_total{code="OK",word=~"x"}[5m])) > up_to'),
    ).toEqual(["engage_calls_total{word}", "engage_calls_total by other"]);
    expect(unknownIn("engage_call_total > 0")).toEqual(["engage_call_total"]);
    expect(unknownIn("engage_call_duration_seconds > 0")).toEqual(["engage_call_duration_seconds"]);
  });

  it("watch every metric, except those that are listed as without an alert", () => {
    const watched = new Set(alerts.flatMap(({ expression }) => seriesIn(expression).map(metricOf)));
    const own = listMetrics()
      .map(({ name }) => name)
      .filter((name) => name.startsWith("engage_"));
    expect(own.filter((name) => !watched.has(name)).sort()).toEqual([...withoutAlert].sort());
  });
});

describe("the runbook", () => {
  const page = readFileSync("docs/reference/alerts.md", "utf8");
  const headings = [...page.matchAll(/^### (\w+)$/gm)].map(([, heading]) => heading!);

  it("has a part for each alert", () => {
    expect(headings).toEqual(names);
    expect(new Set(names).size).toBe(names.length);
  });

  it("is where the links of the rules lead", () => {
    const rules = (parse(readFileSync("deploy/alerts.yaml", "utf8")) as Rules).groups.flatMap(
      (group) => group.rules,
    );
    const places = rules.map(({ annotations }) => annotations.runbook_url);
    expect(places).toEqual(names.map((name) => `${docsUrl}/reference/alerts#${name.toLowerCase()}`));
  });

  it("names existing alerts and settings", () => {
    const mentioned = alerts.flatMap(({ actions }) => actions.match(/\bEngage[A-Z]\w+/g) ?? []);
    expect(mentioned.filter((name) => !names.includes(name))).toEqual([]);
    const settings = new Set(readFileSync("docs/reference/configuration.md", "utf8").match(/\b[\w.[\]]+\b/g));
    const named = alerts.flatMap(({ actions }) => [...actions.matchAll(/`([a-z]\w*(?:\[\])?(?:\.\w+)+)`/g)]);
    const lost = named
      .map(([, path]) => path!)
      .filter((path) => !path.split(".").every((part) => settings.has(part.replace("[]", ""))));
    expect(lost).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  it("names existing commands and metrics", () => {
    const reference = readFileSync("docs/reference/command-line.md", "utf8");
    const commands = alerts.flatMap(({ actions }) => [...actions.matchAll(/`(engage [a-z][a-z -]*[a-z])/g)]);
    const lost = commands
      .map(([, command]) => command!.replace(/ --.*| (?:record|parser|click|webhook)$/, ""))
      .filter((command) => !reference.includes(`\n## ${command}\n`));
    expect(lost).toEqual([]);
    expect(
      alerts.flatMap(({ actions }) => unknownIn(actions.replaceAll(/_seconds`/g, "_seconds_sum`"))),
    ).toEqual([]);
  });
});
