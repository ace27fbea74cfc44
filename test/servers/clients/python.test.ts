import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ExampleServer, openExampleServer } from "./example-server.ts";
import { readExamples, runExample } from "./examples.ts";

/** The Python client: its package as pip installs it, its tests and the examples of its README. */
const client = join(process.cwd(), "clients/python");
const readme = join(client, "README.md");
const folder = mkdtempSync(join(tmpdir(), "engage-python-"));
const installed = join(folder, "installed");
const python = "/usr/bin/python3";
const env = { PATH: process.env["PATH"], PYTHONPATH: installed, PYTHONDONTWRITEBYTECODE: "1" };
const execute = promisify(execFile);
const run = async (program: string, ...args: readonly string[]): Promise<string> =>
  (await execute(program, args, { env, cwd: folder, timeout: 100_000 })).stdout;

/** Installs what `googleapis-common-protos` has, which Debian lacks, from the same declarations. */
function installCommonProtos(): void {
  const template = {
    version: "v2",
    inputs: [{ directory: "proto", paths: ["proto/google/rpc", "proto/google/api/httpbody.proto"] }],
    plugins: [
      { protoc_builtin: "python", out: "." },
      { protoc_builtin: "pyi", out: "." },
    ],
  };
  execFileSync("npx", ["buf", "generate", "--template", JSON.stringify(template), "-o", installed]);
}

beforeAll(async () => {
  installCommonProtos();
  // The build writes into the folder of the sources.
  const source = join(folder, "source");
  cpSync(client, source, { recursive: true });
  const offline = ["--no-deps", "--no-index", "--no-build-isolation", "--quiet"];
  await run(python, "-m", "pip", "wheel", ...offline, "--wheel-dir", folder, source);
  await run(
    python,
    "-m",
    "pip",
    "install",
    ...offline.slice(0, 2),
    "--quiet",
    "--target",
    installed,
    wheel(),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const wheel = (): string => join(folder, readdirSync(folder).find((name) => name.endsWith(".whl")) as string);

it("its wheel has the version of this package, types and no tests", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(wheel()).toContain(`engage_client-${version}-py3-none-any.whl`);
  const names = (await run(python, "-m", "zipfile", "--list", wheel()))
    .split("\n")
    .map((line) => line.split(" ", 1)[0]);
  const messages = "engage_client/gen/engage/analysis/v1/query_pb2";
  expect(names).toEqual(
    expect.arrayContaining([
      "engage_client/py.typed",
      "engage_client/webhook.py",
      `${messages}.py`,
      `${messages}.pyi`,
    ]),
  );
  expect(names.filter((name) => /test|^google|^grpc|^proto/.test(name ?? ""))).toEqual([]);
});

it("its own tests pass with the installed package", async () => {
  const tests = await execute(
    python,
    ["-m", "unittest", "discover", "--start-directory", join(client, "tests")],
    {
      env,
      cwd: folder,
    },
  );
  expect(tests.stderr).toMatch(/^Ran \d\d tests/m);
  expect(tests.stderr).toMatch(/^OK$/m);
});

describe("the examples of its README", () => {
  const examples = readExamples(readme, "python");
  let server: ExampleServer;
  beforeAll(async () => {
    server = await openExampleServer(readme);
    for (const { title, code } of examples) writeFileSync(fileOf(title), server.place(code));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const fileOf = (title: string) => join(folder, `${title.toLowerCase().replaceAll(" ", "_")}.py`);

  const checkTypes = (...files: readonly string[]) =>
    run("/usr/bin/mypy", "--config-file", join(client, "pyproject.toml"), ...files);

  it("are typed, and so is the package", async () => {
    const files = examples.map(({ title }) => fileOf(title));
    expect(await checkTypes(join(installed, "engage_client"), ...files)).toMatch(/^Success: no issues found/);
    const wrong = join(folder, "wrong.py");
    writeFileSync(wrong, "from engage_client import Query\nQuery(1).metric(5)\n");
    await expect(checkTypes(wrong)).rejects.toMatchObject({
      stdout: expect.stringContaining(
        'wrong.py:2: error: Argument 1 to "metric" of "Query" has incompatible type "int"',
      ),
    });
  });

  it.each(examples)("$title", async (example) => {
    await runExample(example, { program: python, args: [fileOf(example.title)], env, place: server.place });
    await server.loaded(3);
  });
});
