import { describe, expect, it } from "vitest";
import { readConfig } from "../../../cmd/config/config.ts";
import { folderWith, loadText } from "./load.ts";
import { marker, secretPlaces, settingsWithSecrets } from "./secret-places.ts";

function describeText(text: string, env: Readonly<Record<string, string>> = {}, files = {}) {
  return loadText(text, env, files).describe();
}

describe("values", () => {
  it("hide every secret of the schema", () => {
    const { values } = describeText(settingsWithSecrets(40));
    const hidden = values
      .filter(({ isHidden }) => isHidden)
      .map(({ path }) => path.replace(/\[\d+\]/g, ".*").replace(/\["[^"]+"\]/g, ".*"))
      .map((path) => path.replace(/^(webhook\.(?:channels|targets))\.\w+/, "$1.*"))
      .map((path) => path.replace(/(\.headers)\.[\w-]+$/, "$1.*"));
    expect([...secretPlaces()].filter((place) => !hidden.includes(place))).toEqual([]);
  });

  it.each([24, 64])("show nothing of secrets with %i characters", (length) => {
    const { values } = describeText(settingsWithSecrets(length));
    const shown = JSON.stringify(values);
    expect(shown).not.toContain(marker);
    expect(shown).not.toContain(Buffer.from(marker).toString("hex"));
    expect(shown).not.toContain(Buffer.from(marker).toString("base64"));
    expect(values).toEqual(describeText(settingsWithSecrets(40)).values);
  });

  it("show nothing of secrets in variables and files", () => {
    const secret = `${marker}-1`;
    const { values } = describeText(
      'analysis: { tokens: [{ name: a, projects: "*", token: x }, { name: b, projects: "*", token: { file: t } }] }',
      { ENGAGE_ANALYSIS_TOKENS_0_TOKEN: secret },
      { t: secret },
    );
    expect(JSON.stringify(values)).not.toContain(marker);
    expect(values.filter(({ isHidden }) => isHidden)).toMatchObject([
      {
        path: "analysis.tokens[0].token",
        source: { kind: "environment", variable: "ENGAGE_ANALYSIS_TOKENS_0_TOKEN" },
        secretFile: undefined,
      },
      {
        path: "analysis.tokens[1].token",
        source: { kind: "file", file: "engage.yaml", line: 1 },
        secretFile: "t",
      },
    ]);
  });

  it("have the sources that --print shows, in its order", () => {
    const text = "log: { level: warn }\nlimits:\n  json: { depth: 9 }\n";
    const { values, fileNamedBy, isDemo, file } = describeText(text, { ENGAGE_DRAIN_MS: "7" });
    expect([file, fileNamedBy, isDemo]).toEqual(["engage.yaml", "default", false]);
    const findValue = (path: string) => values.find((one) => one.path === path);
    expect(findValue("log.level")).toMatchObject({
      value: "warn",
      isHidden: false,
      isShortened: false,
      source: { kind: "file", file: "engage.yaml", line: 1 },
    });
    expect(findValue("limits.json.depth")).toMatchObject({ value: 9, source: { line: 3 } });
    expect(findValue("drainMs")).toMatchObject({
      value: 7,
      source: { kind: "environment", variable: "ENGAGE_DRAIN_MS" },
    });
    expect(findValue("projects")).toMatchObject({ value: [], source: { kind: "default" } });
    const sources = loadText(text, { ENGAGE_DRAIN_MS: "7" })
      .print()
      .trimEnd()
      .split("\n")
      .flatMap((line) => / # (.*)$/.exec(line)?.[1] ?? []);
    const own = values.map(({ source }) =>
      source.kind === "file"
        ? `${source.file}:${source.line}`
        : source.kind === "environment"
          ? `environment ${source.variable}`
          : "default",
    );
    expect(own).toEqual(sources);
  });

  it.each([
    ["engage.yaml", {}, "command_line"],
    [undefined, { ENGAGE_CONFIG: "engage.yaml" }, "environment"],
  ])("tell how the file %s was named", (file, env, kind) => {
    const cwd = folderWith({ "engage.yaml": "log: { level: warn }" });
    expect(readConfig({ env, cwd, file }).describe().fileNamedBy).toBe(kind);
  });

  it("shorten URLs to their hosts, and no patterns", () => {
    const { values } = describeText(
      `webhook: { targets: { t: { kind: http, url: "https://a.example/b" } }, clicks: { forward: { url: "https://c.example", appid: a } } }
parser: { formats: [{ name: r, index: r, type: regex, pattern: "(?P<u>https?://.*)" }] }`,
    );
    const findValue = (path: string) => values.find((one) => one.path === path);
    expect(findValue("webhook.targets.t.url")).toMatchObject({
      value: "https://a.example/…",
      isShortened: true,
    });
    expect(findValue("webhook.clicks.forward.url")).toMatchObject({
      value: "https://c.example",
      isShortened: false,
    });
    expect(findValue("parser.formats[0].pattern")).toMatchObject({ value: "(?P<u>https?://.*)" });
  });
});
