import { expect, it } from "vitest";
import { folderWith } from "./config/load.ts";
import { runEngage } from "./run-engage.ts";

it.each([
  [["query", "--json"], 2, { code: "usage", message: "missing required argument 'file'", exit_code: 2 }],
  [
    ["channel", "show", "a", "--json", "--url", "http://127.0.0.1:1"],
    1,
    { code: "unavailable", message: expect.stringContaining("is the server running?"), exit_code: 1 },
  ],
  [
    ["webhook", "stats", "--json", "--config", "wrong.yaml"],
    1,
    {
      code: "configuration",
      message: expect.stringContaining("the configuration has a problem"),
      exit_code: 1,
      problems: [{ where: "wrong.yaml:1:9", path: "listen", message: expect.any(String) }],
    },
  ],
  [["key", "create", "a b", "--json"], 1, { code: "failed", exit_code: 1, message: expect.any(String) }],
])("the error of %j is one line of JSON", async (args, wanted, error) => {
  const cwd = folderWith({ "wrong.yaml": "listen: here\n" });
  const { code, stdout, stderr } = await runEngage(args, { cwd });
  expect([code, stdout, JSON.parse(stderr)]).toEqual([wanted, "", { error }]);
});

it("--quiet prints errors and no notes, --verbose also where they were thrown", async () => {
  const cwd = folderWith({ "a.log": "{}\n" });
  const parse = (...args: readonly string[]) =>
    runEngage(["parse", "a.log", "--index", "none.log", ...args], { cwd });
  expect((await parse()).stderr).toContain("1 line, ");
  expect((await parse("--quiet")).stderr).toBe("");
  const wrong = await parse("--format", "none", "--quiet");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^engage: [^\n]*"none"[^\n]*\n$/)]);
  const verbose = await parse("--format", "none", "--verbose");
  expect(verbose.stderr).toMatch(/\n {4}at .*\n/);
});
