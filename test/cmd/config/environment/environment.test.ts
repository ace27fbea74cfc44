import { expect, test } from "vitest";
import { environmentNames } from "../../../../cmd/config/environment/environment.ts";
import { formatPath } from "../../../../cmd/config/problem.ts";
import { configSchema } from "../../../../cmd/config/schema/schema.ts";
import { valueAt } from "../../../../cmd/config/tree.ts";
import { linesOf, loadText, problemsOf } from "../load.ts";

const file = `
parser:
  formats:
    - { name: a, index: a.log, type: json }
analysis:
  tokens:
    - { name: one, token: t, projects: "*" }
webhook:
  channels:
    orders-eu: { auth: off }
`;

type Path = readonly (string | number)[];
const values: readonly (readonly [name: string, text: string, path: Path, expected: unknown])[] = [
  ["ENGAGE_LISTEN", "[::1]:0", ["listen"], { host: "::1", port: 0 }],
  ["ENGAGE_PARSER_WORKERS", "2", ["parser", "workers"], 2],
  ["ENGAGE_PARSER_DEAD_LETTERS_MAX_BYTES", "4096", ["parser", "deadLetters", "maxBytes"], 4096],
  ["ENGAGE_PARSER_FRAMING", "lines", ["parser", "framing", "rest"], "lines"],
  ["ENGAGE_PARSER_FRAMING_GRPC_WEB", "none", ["parser", "framing", "grpc-web"], "none"],
  ["ENGAGE_PARSER_FRAMING", "{ rest: lines }", ["parser", "framing", "rest"], "lines"],
  ["ENGAGE_LOG_ACCESS", "false", ["log", "access"], false],
  ["ENGAGE_LIMITS_METHODS", '{"a.B/C": 5}', ["limits", "methods", "a.B/C"], 5],
  ["ENGAGE_PROJECTS", "[{ id: 7 }]", ["projects", 0, "id"], 7],
  ["ENGAGE_PARSER_FORMATS_0_INDEX", "*.log", ["parser", "formats", 0, "index"], ["*.log"]],
  ["ENGAGE_PARSER_FORMATS_0_INDEX", "[a, b]", ["parser", "formats", 0, "index"], ["a", "b"]],
  ["ENGAGE_PARSER_FORMATS_1", "{ name: b, index: b, type: logfmt }", ["parser", "formats", 1, "name"], "b"],
  ["ENGAGE_ANALYSIS_TOKENS_0_TOKEN", "0123", ["analysis", "tokens", 0, "token"], "0123"],
  ["ENGAGE_ANALYSIS_TOKENS_0_TOKEN", "yes", ["analysis", "tokens", 0, "token"], "yes"],
  [
    "ENGAGE_WEBHOOK_CHANNELS_ORDERS_EU_SECRETS",
    "[{ value: s }]",
    ["webhook", "channels", "orders-eu", "secrets", 0, "value"],
    "s",
  ],
  ["ENGAGE_LOG_LEVEL", "", ["log", "level"], "info"],
  ["ENGAGE_LIMITS_TRUSTED_PROXIES", "10.0.0.7", ["limits", "trustedProxies"], ["10.0.0.7"]],
  ["ENGAGE_LIMITS_TRUSTED_PROXIES", "10.0.0.7, ::1", ["limits", "trustedProxies"], ["10.0.0.7", "::1"]],
  ["ENGAGE_LIMITS_TRUSTED_PROXIES", "[10.0.0.7, '::1']", ["limits", "trustedProxies"], ["10.0.0.7", "::1"]],
  ["ENGAGE_LIMITS_TRUSTED_PROXIES", "- 10.0.0.7\n- ::1", ["limits", "trustedProxies"], ["10.0.0.7", "::1"]],
];

test.each(values)("%s=%s", (name, text, path, expected) => {
  expect(valueAt(loadText(file, { [name]: text }).config, path)).toEqual(expected);
});

const refusals: readonly (readonly [name: string, text: string, message: string])[] = [
  ["ENGAGE_PARSER_WORKRS", "1", "sets nothing, the nearest is ENGAGE_PARSER_WORKERS"],
  ["ENGAGE_PARSER_DEADLETTERS_FILE", "x", "sets nothing, the nearest is ENGAGE_PARSER_DEAD_LETTERS_FILE"],
  ["ENGAGE_CONFG", "x", "sets nothing, the nearest is ENGAGE_CONFIG"],
  ["ENGAGE_PARSER_FORMATS_5_NAME", "x", "sets nothing, the nearest is ENGAGE_PARSER_FORMATS_0_NAME"],
  ["ENGAGE_XYLOPHONE_STAND", "x", 'sets nothing, "engage docs reference/configuration" lists all variables'],
  ["ENGAGE_PROJECTS", "[{ id: 1", "the value is neither valid JSON nor valid YAML"],
  ["ENGAGE_PARSER_WORKERS", "*3", 'parser.workers: must be a number, got "*3"'],
  ["ENGAGE_PROJECTS", "[{ id: x }]", 'projects[0].id: must be a number, got "x"'],
  [
    "ENGAGE_LISTEN",
    "localhost",
    'listen: must be host:port with a port up to 65535, for example "127.0.0.1:8080" or "[::1]:8080", got "localhost"',
  ],
];

test.each(refusals)("%s=%s is refused", (name, text, message) => {
  expect(linesOf(problemsOf(file, { [name]: text }))).toEqual([`environment ${name}: ${message}`]);
});

test("a variable for a value wins over one for the section around it", () => {
  const env = { ENGAGE_LOG: "{ level: warn, access: false }", ENGAGE_LOG_LEVEL: "error" };
  expect(loadText("", env).config.log).toEqual({ level: "error", access: false });
});

test("links that an orchestrator sets for a service called engage are no settings", () => {
  const env = {
    ENGAGE_PORT: "tcp://10.0.0.1:8080",
    ENGAGE_PORT_8080_TCP_ADDR: "10.0.0.1",
    ENGAGE_SERVICE_HOST: "10.0.0.1",
    ENGAGE_SERVICE_PORT_GRPC: "8080",
  };
  expect(loadText("", env).config.listen).toEqual({ host: "127.0.0.1", port: 8080 });
});

test("every plain setting has one name, and no two settings share one", () => {
  const paths = new Map<string, string>();
  const walk = (value: unknown, path: Path): void => {
    const name = path.map((key) =>
      String(key)
        .replace(/([a-z])([A-Z])/g, "$1_$2")
        .replace(/\W/g, "_")
        .toUpperCase(),
    );
    paths.set(`ENGAGE_${name.join("_")}`, formatPath(path));
    const children = typeof value === "object" && !Array.isArray(value) ? Object.entries(value ?? {}) : [];
    for (const [key, child] of children) walk(child, [...path, key]);
  };
  const { config } = loadText("");
  const { listen: _listen, limits, ...rest } = config;
  const { methods: _methods, ...plainLimits } = limits;
  for (const [key, value] of Object.entries({ ...rest, limits: plainLimits, listen: 0 })) walk(value, [key]);
  const known = environmentNames(configSchema, {});
  expect(known).toEqual(expect.arrayContaining([...paths.keys()]));
  expect(new Set(known).size).toBe(known.length);
  expect(paths.size).toBeGreaterThan(30);
});
