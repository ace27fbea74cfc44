import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap, type SourceMapping } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../base/package/root.ts";
import { installPackage, packageJson, repositoryModules } from "./install.ts";

const run = promisify(execFile);
const node = process.execPath;
const folder = mkdtempSync(join(tmpdir(), "engage-pack-"));
const installed = join(folder, "node_modules", packageJson.name);
const program = join(installed, packageJson.bin.engage);
let files: readonly string[] = [];

beforeAll(async () => {
  files = await installPackage(folder);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true }));

const textOf = (path: string) => readFileSync(join(installed, path), "utf8");

/** Runs a program in the folder of the package's user. */
const inFolder = (command: string, args: readonly string[]) =>
  run(command, args, { cwd: folder, timeout: 60_000 });
const engage = (...args: readonly string[]) => inFolder(node, [program, ...args]);

test("the package holds what runs and what is imported, and no sources", () => {
  const expected = [
    "LICENSE",
    "console/dist/index.html",
    "console/dist/index.html.br",
    "dist/cmd/engage.js",
    "dist/swagger-ui/LICENSE",
    "dist/swagger-ui/swagger-ui-bundle.js",
    "deploy/alerts.yaml",
    "deploy/grafana/overview.json",
    "docs/man/engage-serve.1",
    "docs/performance.md",
    "docs/performance/parse-lines.svg",
    "docs/recipes/mail.md",
    "docs/reference/api-examples.json",
    "docs/reference/errors.md",
    "docs/start/operator.md",
    "engage.demo.yaml",
    "package.json",
    "proto/proto/parser.proto",
  ];
  expect(files).toEqual(expect.arrayContaining(expected));
  expect(files.filter((path) => /(?<!\.d)\.ts$|^(test|bench|node_modules)\//.test(path))).toEqual([]);
});

test("each thread has a file of its own", () => {
  const layers = ["base", "gateway", "services", "store", "cmd"];
  const sources = layers.flatMap((layer) =>
    readdirSync(join(packageRoot, layer), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(packageRoot, layer, name), "utf8")),
  );
  const threads = sources.flatMap((text) => [...text.matchAll(/workerUrl\("([^"]+)"\)/g)]);
  expect(threads.length).toBeGreaterThan(5);
  expect(files).toEqual(expect.arrayContaining(threads.map(([, path]) => `dist/${path}.js`)));
});

test("V8 needs one byte for each character of the program", () => {
  const programs = files.filter((path) => /^dist\/(?:cmd|services|store)\/.*\.js$/.test(path));
  expect(programs.filter((path) => /[\u0080-\uffff]/.test(textOf(path)))).toEqual([]);
});

test("a place in a built file leads to its source", () => {
  const built = files.find((path) => path.endsWith(".js") && textOf(path).includes("function guardOutput("))!;
  const lines = textOf(built).split("\n");
  const line = lines.findIndex((text) => text.includes("function guardOutput("));
  const map = new SourceMap(JSON.parse(textOf(`${built}.map`)));
  const entry = map.findEntry(line, lines[line]!.indexOf("guardOutput"));
  expect(entry).toMatchObject({ originalSource: expect.stringMatching(/cmd\/main\.ts$/) });
  const source = readFileSync(join(packageRoot, "cmd/main.ts"), "utf8").split("\n");
  expect(source[(entry as SourceMapping).originalLine]).toContain("function guardOutput(");
});

test("it names the packages that its files contain, with their licences", () => {
  const { dependencies } = packageJson;
  const licences = textOf("dist/LICENSES.txt");
  expect(licences).toContain(`\nzod ${dependencies.zod}, MIT\n`);
  expect(licences).toContain(`\n@bufbuild/protobuf ${dependencies["@bufbuild/protobuf"]}, `);
  expect(licences).toContain("Copyright (c) 2025 Colin McDonnell");
});

test("no package that it brings runs a script when it is installed", () => {
  const lock = JSON.parse(readFileSync(join(packageRoot, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>;
  };
  const brought = Object.entries(lock.packages).filter(([name, { dev }]) => name !== "" && dev !== true);
  expect(brought.length).toBeGreaterThan(20);
  expect(brought.filter(([name]) => name.includes("@scarf")).map(([name]) => name)).toEqual([]);
  expect(brought.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name)).toEqual([]);
});

test("the program runs from where packages are installed", async () => {
  expect((await engage("--version")).stdout).toBe(`${packageJson.version}\n`);
  writeFileSync(join(folder, "dpkg.log"), "2024-01-10 08:15:02 install less:amd64 <none> 590-2\n");
  const { stdout } = await engage("parse", "dpkg.log", "--strict");
  expect(JSON.parse(stdout)).toMatchObject({ "#event_name": "dpkg_install" });
  expect((await engage("config", "--check")).stdout).toBe(
    "node_modules/engage-server/engage.demo.yaml: no problems found\n",
  );
});

const printSteps = ["--import", join(packageRoot, "test/package/print-steps.ts")];

test("a command other than serve sets no flags of V8, though it loads the file of the server", async () => {
  const { stdout } = await inFolder(node, [...printSteps, program, "config", "--check"]);
  expect(stdout).toContain("/dist/cmd/engage/serve.js");
  expect(stdout).not.toContain('"step":"--');
});

describe("an older Node", () => {
  test("is told what it needs", async () => {
    const [, oldest] = packageJson.engines.node.split(">=");
    const versions = "{ ...process.versions, node: '20.20.2' }";
    writeFileSync(
      join(folder, "older.cjs"),
      `Object.defineProperty(process, "versions", { value: ${versions} });`,
    );
    await expect(inFolder(node, ["--require", "./older.cjs", program, "--version"])).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: `engage: needs Node ${oldest}, this is 20\n`,
    });
  });

  test("can read the file that says so: it imports what every Node has", () => {
    const imports = [...textOf(packageJson.bin.engage).matchAll(/^import .*$/gm)].map(([line]) => line);
    expect(imports).toEqual(['import module from "node:module";']);
  });
});

test("it serves from there: the demo's calls are answered", async () => {
  expect((await engage("demo")).stdout).toContain("Stopped.");
});

describe("a server from there", () => {
  const post = (body: object): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const query = {
    projectId: 1,
    events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
    eventView: { startTime: "2026-11-01", endTime: "2026-11-02", timeParticleSize: "day" },
  };
  const saved = { name: "logins", requestJson: JSON.stringify(query) };
  const token = "token=demo-token";
  const listTools = post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const accept = "application/json, text/event-stream";
  const steps: string[] = [];
  let child: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const env = {
      PATH: process.env["PATH"],
      ENGAGE_LISTEN: "127.0.0.1:0",
      ENGAGE_DATA: join(folder, "data"),
    };
    child = spawn(node, [...printSteps, program, "serve"], { cwd: folder, env });
    for await (const line of createInterface(child.stdout!)) {
      const { step, ...event } = JSON.parse(line);
      url = event.url ?? "";
      if (url !== "") break;
      steps.push(step ?? event.msg);
    }
    child.stdout!.resume();
  });

  afterAll(async () => {
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("lets V8 optimize code once it has read its configuration, and loads no file before that", () => {
    const stopped = ["--turbo-filter=-*", "--maglev-filter=-*", "--no-use-osr"];
    const restored = ["--turbo-filter=*", "--maglev-filter=*", "--use-osr"];
    expect(steps.join(" ")).toContain(["load", ...stopped, ...restored, "load"].join(" "));
  });

  // The demo makes calls of the other contracts.
  test.each<[string, RequestInit, string]>([
    ["/console/", {}, "<!doctype html>"],
    ["/docs", {}, "swagger-ui-bundle.js"],
    ["/docs/", {}, "<h1>Documentation</h1>"],
    ["/docs/reference/errors", {}, "<table>"],
    ["/docs/performance/parse-lines.svg", {}, "<title"],
    ["/openapi.json", {}, '"openapi":"3.1'],
    ["/v1/parser:explain", post({ content: "YQ==", format: "game" }), '"lines":'],
    [`/v1/projects?${token}`, {}, '"projects":'],
    [`/v1/projects/1/queries?${token}`, post(saved), '"queryId":'],
    ["/v1/channels", {}, "{"],
    ["/v1/webhook/stats", {}, '"targets":'],
    ["/v1/dead-letter-kinds", {}, '"kinds":'],
    ["/mcp", { ...listTools, headers: { ...listTools.headers, accept } }, '"send_push"'],
    ["/v1/settings/version", {}, `"nodeVersion":"${process.version}"`],
  ])("answers %s", async (path, init, part) => {
    const response = await fetch(url + path, init);
    expect([response.status, (await response.text()).toLowerCase()]).toEqual([
      200,
      expect.stringContaining(part.toLowerCase()),
    ]);
  });
});

test("its worker threads run from there too", async () => {
  const env = { PATH: process.env["PATH"], LogBus: "v2", ENGAGE_PARSER_WORKER_THRESHOLD_BYTES: "1" };
  const child = spawn(node, [program, "parser-plugin"], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.resume();
  const [handshake] = (await once(child.stdout, "data")) as [Buffer];
  const url = `http://${String(handshake).split("|")[3]}`;
  const response = await fetch(`${url}/proto.Parser/Parse`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ content: Buffer.from('a|ta|{"n":1}').toString("base64") }),
  });
  const { content } = (await response.json()) as { content: string };
  expect(Buffer.from(content, "base64").toString()).toBe('{"n":1}');
  const bundle = await fetch(`${url}/docs/swagger-ui-bundle.js`);
  expect([bundle.status, (await bundle.text()).length]).toEqual([
    200,
    expect.toSatisfy((size) => size > 1e6),
  ]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('engage_parser_batches_total{where="worker"} 1');
});

test.each(["engage-server/gen/proto/parser_pb.js", "engage-server/gen/proto/parser_pb"])(
  "%s can be imported",
  async (name) => {
    const script = `const { Parser } = await import(${JSON.stringify(name)}); console.log(Parser.typeName);`;
    expect((await inFolder(node, ["--input-type=module", "-e", script])).stdout).toBe("proto.Parser\n");
  },
);

const caller = (field: string) => `
import { createClient, type Transport } from "@connectrpc/connect";
import { ParserStream } from "engage-server/gen/engage/parser/v1/parser_stream_pb.js";
import { Parser } from "engage-server/gen/proto/parser_pb.js";

export const parse = (transport: Transport, bytes: Uint8Array) =>
  createClient(Parser, transport).parse({ ${field}: bytes }).then((answer): Uint8Array => answer.content);
export const stream = (transport: Transport) => createClient(ParserStream, transport).parseLines;
`;

/** Type-checks a file of the package's user; resolves with what the compiler complains about. */
async function complaintsAbout(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
  const tsc = join(repositoryModules, "typescript/bin/tsc");
  const { stdout } = await inFolder(node, [tsc, ...flags, name]).catch((error: { stdout: string }) => error);
  return stdout;
}

test("another service gets a client with types, which are real ones", async () => {
  expect(await complaintsAbout("right.ts", caller("content"))).toBe("");
  expect(await complaintsAbout("wrong.ts", caller("contents"))).toMatch(/'contents' does not exist in type/);
});

test("other languages find the .proto files, and all that these import", () => {
  const protos = files.filter((path) => path.endsWith(".proto"));
  const imports = protos.flatMap((path) =>
    [...readFileSync(join(installed, path), "utf8").matchAll(/^import "([^"]+)";$/gm)].map(
      ([, name]) => name!,
    ),
  );
  const own = imports.filter((name) => !name.startsWith("google/protobuf/"));
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter((name) => !existsSync(join(installed, "proto", name)))).toEqual([]);
});

test("a .proto file can be resolved by the name of the package", async () => {
  const script = 'console.log(import.meta.resolve("engage-server/proto/proto/parser.proto"))';
  writeFileSync(join(folder, "resolve.js"), script);
  const { stdout } = await inFolder(node, ["resolve.js"]);
  expect(readFileSync(new URL(stdout.trim()), "utf8")).toContain("service Parser");
});
