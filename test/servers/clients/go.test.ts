import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ExampleServer, openExampleServer } from "./example-server.ts";
import { readExamples, runExample } from "./examples.ts";

/**
 * The Go client: its tests, and the examples of its README. Both are built in a module of a user, as Go
 * does with vendored modules, which are the sources that Debian has: nothing is fetched.
 */
const client = join(process.cwd(), "clients/go");
const readme = join(client, "README.md");
const folder = mkdtempSync(join(tmpdir(), "engage-go-"));
const copy = join(folder, "go");
const user = join(folder, "user");
const module = "engage/clients/go";
const sources = "/usr/share/gocode/src";
const env = {
  PATH: process.env["PATH"],
  HOME: homedir(),
  GOFLAGS: "-mod=vendor",
  GOPROXY: "off",
  GO111MODULE: "on",
};
const execute = promisify(execFile);
const run = async (cwd: string, program: string, ...args: readonly string[]): Promise<string> =>
  (await execute(program, args, { env, cwd, timeout: 100_000 })).stdout;

/** Modules that a `go.mod` requires, each with its version. */
const required = (goMod: string) =>
  [...goMod.matchAll(/^\t(\S+) (v\S+)/gm)].map(([, name, version]) => `${name} ${version}`);

/** Writes a module that requires the client by the lines which the README shows, and vendors all that it requires. */
function writeModule(): void {
  const goMod = readFileSync(join(copy, "go.mod"), "utf8");
  const [, lines = ""] = /^```text\n(require engage[\s\S]*?)^```$/m.exec(readFileSync(readme, "utf8")) ?? [];
  mkdirSync(join(user, "vendor/github.com"), { recursive: true });
  mkdirSync(join(user, "vendor/golang.org"));
  mkdirSync(join(user, "vendor/engage/clients"), { recursive: true });
  for (const name of ["github.com/golang", "golang.org/x", "google.golang.org"]) {
    symlinkSync(join(sources, name), join(user, "vendor", name));
  }
  symlinkSync(copy, join(user, "vendor", module));
  writeFileSync(
    join(user, "go.mod"),
    `${goMod.replace(module, "example")}\n${lines.replace("../engage/clients/go", "../go")}`,
  );
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const vendored = [...required(goMod), `${module} v${version} => ../go`];
  const listed = vendored.map((entry) => `# ${entry}\n## explicit\n`).join("");
  writeFileSync(join(user, "vendor/modules.txt"), `${listed}# ${module} => ../go\n`);
}

beforeAll(() => {
  cpSync(client, copy, { recursive: true });
  cpSync("clients/vectors.json", join(folder, "vectors.json"));
  writeModule();
});
afterAll(() => rmSync(folder, { recursive: true }));

it("its sources have the form of gofmt, and its tests pass", async () => {
  expect(await run(copy, "gofmt", "-l", ".")).toBe("");
  expect(await run(user, "go", "test", module)).toMatch(/^ok\s+engage\/clients\/go\s/m);
});

describe("the examples of its README", () => {
  const examples = readExamples(readme, "go");
  const nameOf = (title: string) => title.toLowerCase().replaceAll(" ", "-");
  let server: ExampleServer;

  beforeAll(async () => {
    server = await openExampleServer(readme);
    for (const { title, code } of examples) {
      mkdirSync(join(user, nameOf(title)), { recursive: true });
      writeFileSync(join(user, nameOf(title), "main.go"), server.place(code));
    }
    await run(user, "go", "build", "-ldflags", "-s -w", "-o", `${join(folder, "bin")}/`, "./...");
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(examples)("$title", async (example) => {
    const name = nameOf(example.title);
    const source = join(user, name, "main.go");
    await runExample(example, {
      program: join(folder, "bin", name),
      args: [source],
      env,
      place: server.place,
    });
    await server.loaded(3);
  });
});
