import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packageRoot } from "../../../base/package/root.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { configSchema } from "../../../cmd/config/schema/schema.ts";
import { folderWith, loadText } from "./load.ts";

test("every value is printed with where it came from", () => {
  const yaml = "log:\n  level: warn\nparser:\n  framing: lines\nprojects:\n  - id: 1\n";
  const lines = loadText(yaml, { ENGAGE_DRAIN_MS: "5", ENGAGE_LOG_ACCESS: "false" }).print().split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      "listen: 127.0.0.1:8080                           # default",
      "  level: warn                                    # engage.yaml:2",
      "  access: false                                  # environment ENGAGE_LOG_ACCESS",
      "drainMs: 5                                       # environment ENGAGE_DRAIN_MS",
      "    rest: lines                                  # engage.yaml:4",
      "  - id: 1                                        # engage.yaml:6",
      "    appids: []                                   # default",
    ]),
  );
});

test("what is printed means the same settings when it is read again", () => {
  const demo = loadConfig({ env: {}, cwd: packageRoot, file: "engage.demo.yaml" }).print();
  expect(configSchema.parse(parse(demo))).toEqual(
    configSchema.parse(parse(demo.replace(/ +# (default|engage).*$/gm, ""))),
  );
  const again = loadText(demo);
  expect(again.print().replace(/ +# .*$/gm, "")).toBe(demo.replace(/ +# .*$/gm, ""));
});

test("without a file the demo's is read, with one in the folder that, and a named one before both", () => {
  const cwd = folderWith({ "other.yaml": "drainMs: 2" });
  expect(loadConfig({ env: {}, cwd })).toMatchObject({
    isDemo: true,
    file: join(packageRoot, "engage.demo.yaml"),
  });
  const own = folderWith({
    "engage.yaml": "drainMs: 1",
    "other.yaml": "drainMs: 2",
    "third.yaml": "drainMs: 3",
  });
  const env = { ENGAGE_CONFIG: "other.yaml" };
  expect(loadConfig({ env: {}, cwd: own })).toMatchObject({ isDemo: false, config: { drainMs: 1 } });
  expect(loadConfig({ env, cwd: own })).toMatchObject({ isDemo: false, config: { drainMs: 2 } });
  expect(loadConfig({ env, cwd: own, file: "third.yaml" })).toMatchObject({
    file: "third.yaml",
    config: { drainMs: 3 },
  });
});

test("paths start at the file that names them; those of the environment and of defaults at the working folder", () => {
  const cwd = folderWith({});
  const yaml = "data: store\nparser: { formats: [{ name: a, index: b, type: module, module: ./mine.js }] }";
  const elsewhere = folderWith({ "engage.yaml": yaml });
  const file = join(elsewhere, "engage.yaml");
  expect(loadConfig({ env: {}, cwd, file }).config).toMatchObject({
    data: join(elsewhere, "store"),
    parser: { formats: [{ module: join(elsewhere, "mine.js") }] },
  });
  expect(loadConfig({ env: { ENGAGE_DATA: "here" }, cwd, file }).config.data).toBe(join(cwd, "here"));
  expect(loadConfig({ env: {}, cwd }).config.data).toBe(join(cwd, "data"));
});

test("the meaning of each setting is printed above it, and changes no value", () => {
  const yaml =
    "projects:\n  - id: 1\nwebhook:\n  targets:\n    crm: { kind: http, url: 'https://a.example' }\n    away: { kind: pull }\n";
  const loaded = loadText(yaml);
  const lines = loaded.print(true).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "# Address and port of gRPC, gRPC-Web, Connect, REST and the console. Port 0: any free port. Other",
    "# addresses than loopback require a decision in auth.",
    "listen: 127.0.0.1:8080                           # default",
  ]);
  const at = (line: string) => lines.findIndex((one) => one.startsWith(line));
  expect(lines[at("  - id: 1") - 1]).toBe("  # Id of the project, by which queries and tokens name it.");
  expect(lines[at("      kind: http") - 1]).toBe("      # http: messages go to a URL, as JSON.");
  expect(lines[at("      kind: pull") - 1]).toBe(
    "      # pull: a handler fetches the messages by LeaseMessages and SettleMessages.",
  );
  const withoutTexts = lines.filter((line) => !/^ *#/.test(line)).join("\n");
  expect(withoutTexts).toBe(loaded.print());
});
