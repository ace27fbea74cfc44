import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { openTokenList } from "../../../cmd/serve/analysis/tokens.ts";
import { createToken, listTokens, revokeToken } from "../../../cmd/token/token.ts";
import { folderWith, linesOf, loadText, problemsOf } from "../config/load.ts";
import { runEngage } from "../run-engage.ts";

const timeout = { timeout: 30_000 };

function open(tokens: object[] = []) {
  const text = JSON.stringify({ projects: [{ id: 1 }, { id: 2 }], analysis: { tokens } });
  const { config } = loadText(text);
  const file = join(config.data, "tokens.json");
  const run = async (work: (surroundings: { stdout: PassThrough }) => Promise<void>): Promise<string> => {
    const stdout = new PassThrough();
    await work({ stdout });
    return await textOf(stdout.end());
  };
  const create = async (name: string, options = {}): Promise<string> =>
    JSON.parse(await run((to) => createToken(config, name, { project: ["1"], json: true, ...options }, to)))
      .token;
  const read = (): readonly object[] => JSON.parse(readFileSync(file, "utf8")).tokens;
  return { config, file, run, create, read };
}

describe("tokens that a command makes", () => {
  test("are kept as digests, for their owner alone to read", async () => {
    const { file, create, read } = open();
    const token = await create("one", { rate: 2.5 });
    expect(token).toMatch(/^engage_[\w-]{43}$/);
    expect(readFileSync(file, "utf8")).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(read()).toEqual([
      {
        name: "one",
        projects: [1],
        rateLimit: { perSecond: 2.5, burst: 3 },
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        created: expect.stringMatching(/Z$/),
      },
    ]);
  });

  test("are listed and revoked", async () => {
    const { config, run, create } = open([{ name: "written", token: "x", projects: [2] }]);
    await create("one");
    await create("all", { project: undefined, allProjects: true });
    expect(await run((to) => listTokens(config, {}, to))).toMatch(
      /^NAME {5}PROJECTS {2}PER SECOND {2}CREATED\nwritten {2}2 +in the configuration\none {6}1 .*\nall {6}all .*\n$/,
    );
    await run((to) => revokeToken(config, "one", {}, to));
    const lines = (await run((to) => listTokens(config, { json: true }, to))).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(["written", "all"]);
  });

  test.each([
    ["a name that is taken", "written", {}, 'token "written" exists already, revoke it first'],
    ["a name that is none", "a b", {}, 'name of the token is "a b", must be 1 to 64 letters, digits,'],
    ["a project that is not there", "one", { project: ["3"] }, 'there is no project "3", valid are 1, 2'],
    ["no project", "one", { project: undefined }, "--project or --all-projects is required"],
  ])("%s is refused", async (_what, name, options, message) => {
    const { create, file } = open([{ name: "written", token: "x", projects: [2] }]);
    await expect(create(name, options)).rejects.toThrow(message);
    expect([existsSync(file), existsSync(`${file}.new`)]).toEqual([false, false]);
  });

  test.each([
    ["unknown", 'token "unknown" is not known, valid are "one"'],
    ["written", "it is in the configuration"],
  ])("%s can't be revoked", async (name, message) => {
    const { config, run, create, read } = open([{ name: "written", token: "x", projects: [2] }]);
    await create("one");
    await expect(run((to) => revokeToken(config, name, {}, to))).rejects.toThrow(message);
    expect(read()).toHaveLength(1);
  });

  test("two commands at once do not undo each other", async () => {
    const { file, create, read } = open();
    await create("one");
    writeFileSync(`${file}.new`, "");
    await expect(create("two")).rejects.toThrow("another command is changing the tokens; if none is, delete");
    expect(read()).toHaveLength(1);
  });
});

describe("a server", () => {
  const ignore = (): void => {};

  test("takes new tokens and refuses revoked ones within a second", async () => {
    const { config, run, create } = open();
    await using list = await openTokenList(config, ignore);
    const token = await create("one");
    expect(list.find(token)).toBeUndefined();
    await vi.waitFor(() => expect(list.find(token)).toMatchObject({ name: "one", projects: [1] }), timeout);
    await run((to) => revokeToken(config, "one", {}, to));
    await vi.waitFor(() => expect(list.find(token)).toBeUndefined(), timeout);
  });

  test("finds tokens of the configuration", async () => {
    const { config } = open([{ name: "written", token: "x", projects: [2] }]);
    await using list = await openTokenList(config, ignore);
    expect([list.find("x"), list.find("y")]).toMatchObject([{ name: "written", projects: [2] }, undefined]);
  });

  test("does not start with a broken file", async () => {
    const { config, file, create } = open();
    await create("one");
    writeFileSync(file, '{"tokens":[{"name":"a"}]}');
    await expect(openTokenList(config, ignore)).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining("is not a list of tokens: tokens.0.sha256:"),
    });
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
