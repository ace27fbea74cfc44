import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { packageVersion } from "../../base/package/root.ts";
import { configSchema } from "../../cmd/config/schema/schema.ts";
import { folderWith } from "./config/load.ts";
import { runEngage, startEngage } from "./run-engage.ts";

test("--version prints the package's version", async () => {
  expect(await runEngage(["--version"])).toEqual({ code: 0, stdout: `${packageVersion()}\n`, stderr: "" });
});

const help = [
  [
    ["--help"],
    ["serve", "parse", "config", "key", "health", "demo", "parser-plugin", "Examples:", "Exit codes:"],
  ],
  [["--help"], ["webhook", "migrate"]],
  [
    ["webhook", "--help"],
    ["stats", "deliveries", "delivery", "dead-letters", "replay"],
  ],
  [
    ["webhook", "replay", "--help"],
    ["--channel", "--all", "--dry-run", "--nonce", "--key-file", "--url", "--json"],
  ],
  [
    ["import", "--help"],
    ["--skip", "#type:=track", "Ctrl-C"],
  ],
  [
    ["export", "--help"],
    ["does not keep #uuid", "doubles its events"],
  ],
  [
    ["parse", "--help"],
    ["--format", "--index", "--strict", "- for standard input"],
  ],
  [
    ["config", "--help"],
    ["--print", "--check", "--schema", "--config"],
  ],
  [
    ["key", "create", "--help"],
    ["--method", "--json"],
  ],
] as const;

test.each(help)("%j tells what there is", async (args, words) => {
  const { code, stdout, stderr } = await runEngage(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const word of words) expect(stdout).toContain(word);
});

const printing = [
  ["--help"],
  ["parse", "--help"],
  ["config", "--schema"],
  ["config", "--print"],
  ["migrate"],
];

test.each(printing)("%s without a reader ends as programs do that a pipe ends", async (...args) => {
  const child = startEngage(args);
  child.stdout!.destroy();
  const stderr = text(child.stderr!);
  const [code] = await once(child, "close");
  expect({ code, stderr: await stderr }).toEqual({ code: 141, stderr: "" });
});

test("a full disk under standard output is reported in one line", async () => {
  const stdoutFd = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(stdoutFd));
  const child = startEngage(["config", "--schema"], { stdoutFd });
  const stderr = text(child.stderr!);
  const [code] = await once(child, "close");
  expect({ code, stderr: await stderr }).toEqual({
    code: 1,
    stderr: "engage: cannot write standard output: no space is left on the disk\n",
  });
});

const wrongLines = [
  [["pasre"], "error: unknown command 'pasre', the nearest is parse\n(see --help)\n"],
  [["config", "--chek"], "error: unknown option '--chek', the nearest is --check, valid are --config, "],
  [["config", "--print", "--check"], "error: option '--print' cannot be used with option '--check'"],
  [["parse"], "error: missing required argument 'file'"],
  [["health", "--timeout", "soon"], "must be a whole number of milliseconds, at least 1"],
] as const;

test.each(wrongLines)("%j is a wrong command line", async (args, message) => {
  const { code, stdout, stderr } = await runEngage(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test("without a command it shows its help and fails", async () => {
  const { code, stdout, stderr } = await runEngage([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("Usage: engage");
});

test("config --check lists all problems, those of formats too, each with its line and without a stack", async () => {
  const yaml = "parser:\n  formats:\n    - { name: a, index: a, type: regex, pattern: '(' }\n";
  const cwd = folderWith({ "engage.yaml": yaml, "bad.yaml": "drainMs: soon\nlog: { level: loud }" });
  const formats = await runEngage(["config", "--check"], { cwd });
  expect(formats).toMatchObject({ code: 1, stdout: "" });
  expect(formats.stderr).toMatch(
    /^engage: the configuration has a problem:\n {2}engage\.yaml:3:\d+: parser\.formats\[0\]\.pattern: .+\n$/,
  );
  const values = await runEngage(["config", "--check", "-c", "bad.yaml"], { cwd });
  expect(values.code).toBe(1);
  expect(values.stderr).toContain("\n  bad.yaml:1:10: drainMs: ");
  expect(values.stderr).toContain("\n  bad.yaml:2:15: log.level: ");
  expect(values.stderr).not.toContain("    at ");
});

test("config --check tells faults between settings and faults of formats together", async () => {
  const cwd = folderWith({
    "engage.yaml": `webhook: { channels: { a: { auth: off, targets: [nope] } } }
parser: { formats: [{ name: a, index: "*", type: regex, pattern: "(" }] }
`,
  });
  const { stderr } = await runEngage(["config", "--check"], { cwd });
  expect(stderr).toMatch(/engage\.yaml:1:\d+: webhook\.channels\.a\.targets\[0\]: there is no target "nope"/);
  expect(stderr).toMatch(/engage\.yaml:2:\d+: parser\.formats\[0\]\.pattern: bad regular expression/);
});

test("config --schema prints a JSON Schema that knows every section", async () => {
  const { stdout } = await runEngage(["config", "--schema"]);
  expect(Object.keys(JSON.parse(stdout).properties)).toEqual(Object.keys(configSchema.shape));
});

test("config --check says so when nothing is wrong", async () => {
  const cwd = folderWith({ "engage.yaml": "drainMs: 5" });
  expect(await runEngage(["config", "--check"], { cwd })).toEqual({
    code: 0,
    stdout: "engage.yaml: no problems found\n",
    stderr: "",
  });
});

test("config --print shows values, origins and no secret", async () => {
  const env = { ENGAGE_ANALYSIS_TOKENS_0_TOKEN: "s3cret-token", ENGAGE_DRAIN_MS: "7" };
  const { code, stdout, stderr } = await runEngage(["config", "--print"], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^drainMs: 7 +# environment ENGAGE_DRAIN_MS$/m);
  expect(stdout).toMatch(/^ +token: "\*{8}" +# environment ENGAGE_ANALYSIS_TOKENS_0_TOKEN$/m);
  expect(stdout).not.toMatch(/s3cret-token|demo-secret/);
});

test("key create prints JSON for scripts, and refuses a bad name in one line", async () => {
  const { code, stdout } = await runEngage([
    "key",
    "create",
    "ci",
    "--json",
    "--method",
    "proto.Parser/*",
    "a.B/C",
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ name: "ci", methods: ["proto.Parser/*", "a.B/C"] });
  expect(await runEngage(["key", "create", "a b"])).toEqual({
    code: 1,
    stdout: "",
    stderr:
      'engage: name of the key is "a b", must be 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first\n',
  });
});

test("health fails when nothing answers", async () => {
  const { code, stderr } = await runEngage(["health", "--url", "http://127.0.0.1:1/readyz"]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "http://127.0.0.1:1/readyz: connection refused by 127.0.0.1:1: is the server running?\n",
  });
});

test("serve refuses an address that others can reach until the configuration says who may call", async () => {
  const { code, stdout, stderr } = await runEngage(["serve"], { env: { ENGAGE_LISTEN: "0.0.0.0:0" } });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^engage: the configuration has 4 problems:\n/);
  expect(stderr).toMatch(
    /auth: other machines can reach "0\.0\.0\.0:0", so authentication must be configured/,
  );
  expect(stderr.match(/is the public (appid|token|secret) of the demo/g)).toHaveLength(3);
  expect(stderr).not.toMatch(/demo-(token|secret)|^ +at /m);
});

test("a port that is taken is one clear line", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const listen = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runEngage(["serve"], { env: { ENGAGE_LISTEN: listen } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `engage: cannot listen: ${listen} is already in use by another program\n`,
  });
});
