import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { failure, openFormat, problemsOf } from "./open-format.ts";

const folder = fileURLToPath(new URL("../../../testdata/parser-modules/", import.meta.url));
const words = { type: "module", module: `${folder}words.ts` };

test.each([
  ["hello", [{ word: "hello", index: "test.log" }]],
  ["a b", [{ word: "a" }, { word: "b" }]],
  ["skip", []],
])("%s", async (line, records) => {
  const parse = await openFormat(words);
  expect(parse(line)).toEqual(records);
});

test.each([
  ["throw", "Error: no such word"],
  ["promise", "parse must return its records synchronously, got a promise"],
  // The test runner fails on an unhandled rejection, as the process would end.
  ["rejection", "parse must return its records synchronously, got a promise"],
  ["rejections", "parse must return its records synchronously, got a promise"],
  ["text", "parse must return an object, a list of objects or null"],
  ["toJSON", "parse must return an object, a list of objects or null"],
  ["bigint", expect.stringContaining("TypeError")],
])("%s is reported", async (line, message) => {
  const parse = await openFormat(words);
  expect(parse(line)).toMatchObject({ ...failure("module_error"), message });
});

test.each([
  ["missing.ts", /can't load/],
  ["no-parse.ts", /exports no function parse.*exports other/],
])("%s is a problem", async (file, message) => {
  const problems = await problemsOf({ type: "module", module: folder + file });
  expect(problems).toEqual([{ path: ["formats", 0, "module"], message: expect.stringMatching(message) }]);
});
