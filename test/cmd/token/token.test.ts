import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { openTokenFile, readTokenFile, tokenFileOf } from "../../../cmd/serve/analysis/token-file.ts";
import { createToken, listTokens, revokeToken } from "../../../cmd/token/token.ts";
import { folderWith, linesOf, loadText, problemsOf } from "../config/load.ts";
import { runEngage } from "../run-engage.ts";

function open(tokens: object[] = []) {
  const text = JSON.stringify({ projects: [{ id: 1 }, { id: 2 }], analysis: { tokens } });
  const { config } = loadText(text);
  const run = (work: (surroundings: { stdout: PassThrough }) => void): string => {
    const stdout = new PassThrough();
    work({ stdout });
    return String(stdout.read());
  };
  const create = (name: string, options = {}): string =>
    JSON.parse(run((to) => createToken(config, name, { project: ["1"], json: true, ...options }, to))).token;
  return { config, file: tokenFileOf(config.data), run, create };
}

describe("tokens that a command makes", () => {
  test("are kept as digests, for their owner alone to read", () => {
    const { file, create } = open();
    const token = create("one", { rate: 2.5 });
    expect(token).toMatch(/^engage_[\w-]{43}$/);
    expect(readFileSync(file, "utf8")).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readTokenFile(file)).toEqual([
      {
        name: "one",
        projects: [1],
        rateLimit: { perSecond: 2.5, burst: 3 },
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        created: expect.stringMatching(/Z$/),
      },
    ]);
  });

  test("are listed and revoked", () => {
    const { config, run, create } = open([{ name: "written", token: "x", projects: [2] }]);
    create("one");
    create("all", { project: undefined, allProjects: true });
    expect(run((to) => listTokens(config, {}, to))).toMatch(
      /^NAME {5}PROJECTS {2}PER SECOND {2}CREATED\nwritten {2}2 +in the configuration\none {6}1 .*\nall {6}all .*\n$/,
    );
    run((to) => revokeToken(config, "one", to));
    const lines = run((to) => listTokens(config, { json: true }, to))
      .trim()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(["written", "all"]);
  });

  test.each([
    ["a name that is taken", "written", {}, 'token "written" exists already, revoke it first'],
    ["a name that is none", "a b", {}, 'name of the token is "a b", must be 1 to 64 letters, digits,'],
    [
      "a project that is not there",
      "one",
      { project: ["3"] },
      'project "3" is not configured, projects are 1, 2',
    ],
    ["no project", "one", { project: undefined }, "--project or --all-projects is required"],
  ])("%s is refused", (_what, name, options, message) => {
    const { create, file } = open([{ name: "written", token: "x", projects: [2] }]);
    expect(() => create(name, options)).toThrow(message);
    expect([existsSync(file), existsSync(`${file}.new`)]).toEqual([false, false]);
  });

  test.each([
    ["unknown", "see engage token list"],
    ["written", "it is in the configuration"],
  ])("%s can't be revoked", (name, message) => {
    const { config, run, create } = open([{ name: "written", token: "x", projects: [2] }]);
    create("one");
    expect(() => run((to) => revokeToken(config, name, to))).toThrow(message);
    expect(readTokenFile(tokenFileOf(config.data))).toHaveLength(1);
  });

  test("two commands at once do not undo each other", () => {
    const { file, create } = open();
    create("one");
    writeFileSync(`${file}.new`, "");
    expect(() => create("two")).toThrow("another command is changing the tokens; if none is, delete");
    expect(readTokenFile(file)).toHaveLength(1);
  });
});

describe("a server", () => {
  test("takes new tokens and refuses revoked ones within a second", () => {
    const { config, file, run, create } = open();
    let nowMs = 0;
    const book = openTokenFile(file, { now: () => nowMs, failed: () => undefined });
    const token = create("one");
    expect(book.find(token)).toBeUndefined();
    nowMs = 1_000;
    expect(book.find(token)).toMatchObject({ name: "one", projects: [1] });
    run((to) => revokeToken(config, "one", to));
    nowMs = 2_000;
    expect(book.find(token)).toBeUndefined();
  });

  test("goes on with the tokens it knows when the file breaks", () => {
    const { file, create } = open();
    const token = create("one");
    let nowMs = 0;
    const failures: string[] = [];
    const failed = (error: unknown) => void failures.push(String(error));
    const book = openTokenFile(file, { now: () => nowMs, failed });
    writeFileSync(file, "{");
    nowMs = 5_000;
    expect(book.find(token)?.name).toBe("one");
    nowMs = 10_000;
    book.find(token);
    expect(failures).toEqual([expect.stringContaining("is not a list of tokens")]);
  });

  test("does not start with a broken file", () => {
    const file = join(folderWith({ "tokens.json": '{"tokens":[{"name":"a"}]}' }), "tokens.json");
    const options = { now: () => 0, failed: () => undefined };
    expect(() => openTokenFile(file, options)).toThrow("is not a list of tokens: tokens.0.sha256:");
  });
});

test("the command line makes, lists and revokes", async () => {
  const cwd = folderWith({ "engage.yaml": "projects: [{ id: 1 }]" });
  const created = await runEngage(["token", "create", "shop", "--project", "1"], { cwd });
  expect(created.stdout).toMatch(/^token for project 1; it is shown only once.*\n\n {2}engage_\S+\n\n/);
  expect((await runEngage(["token", "list"], { cwd })).stdout).toContain("shop  1");
  expect((await runEngage(["token", "revoke", "shop"], { cwd })).stdout).toContain('"shop" is revoked');
  const wrong = await runEngage(["token", "create", "shop", "--project", "1", "--all-projects"], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("cannot be used with option")]);
});

test("the section analysis", () => {
  const problems = problemsOf(`
projects: [{ id: 1, engine: platform }]
analysis:
  rateLimit: { perSecond: 5, burst: 10 }
  cacheMaxBytes: 0
  percentAs: fraction
`);
  expect(linesOf(problems)).toEqual([
    expect.stringContaining('projects[0].engine: is "platform", so say which one: analysis: { platform:'),
  ]);
  expect(
    linesOf(
      problemsOf(`
projects: [{ id: 1, engine: platform }]
analysis: { platform: { baseUrl: "http://a.example", token: long-enough, projects: { 2: 3 } } }
`),
    ),
  ).toEqual([expect.stringContaining("there is no project 2")]);
});
