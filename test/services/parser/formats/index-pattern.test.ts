import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { openFormats } from "../../../../services/parser/formats/formats.ts";
import { compileIndexPattern } from "../../../../services/parser/formats/index-pattern.ts";
import { createProblems } from "../../../../services/parser/mapping/problems.ts";

function matches(pattern: string, index: string): boolean {
  const problems = createProblems();
  const compiled = compileIndexPattern(pattern, [], problems);
  expect(problems.list).toEqual([]);
  return compiled(index);
}

describe("matches", () => {
  test.each([
    ["*", "anything"],
    ["*", "/var/log/a.log"],
    ["*.log", "a.log"],
    ["*.log", "/var/log/a.log"],
    ["**.log", "a\nb.log"],
    ["a*b*b", "abb"],
    ["a*b*", "ab"],
    ["*ab*ab*", "aabaab"],
    ["a.log", "/var/a.log"],
    ["a?c", "abc"],
    ["[a-c]1", "b1"],
    ["[!a-c]1", "d1"],
    ["[^a-c]1", "d1"],
    ["[]x]", "]"],
    ["[[]", "["],
    ["{login,heart}_*", "heart_1"],
    ["{a,{b,c}d}", "cd"],
    ["a,b", "a,b"],
    ["a}", "a}"],
    ["/var/*/a.log", "/var/log/a.log"],
    ["/var/**/a.log", "/var/a.log"],
    ["/var/**/a.log", "/var/x/y/a.log"],
    ["/var/**", "/var/x/y"],
    ["\\*.log", "*.log"],
    ["a.b(c)+$", "a.b(c)+$"],
    ["/^m\\d+_/", "m0001_heart"],
    ["/heart|login/", "x_login_y"],
    ["日志*", "日志.log"],
  ])("%s: %s", (pattern, index) => {
    expect(matches(pattern, index)).toBe(true);
  });
});

describe("does not match", () => {
  test.each([
    ["*.log", "a.log.gz"],
    ["a.log", "aXlog"],
    ["a*a", "a"],
    ["ab*bc", "abc"],
    ["*ab*ab", "abb"],
    ["*a*b*", "ba"],
    ["", "a"],
    ["a?c", "a/c"],
    ["[a-c]1", "d1"],
    ["[!a]", "a"],
    ["{a,b}", "c"],
    ["/var/*/a.log", "/var/x/y/a.log"],
    ["/^m\\d+$/", "m1x"],
    ["a", ""],
    ["*", "a".repeat(4097)],
  ])("%s: %s", (pattern, index) => {
    expect(matches(pattern, index)).toBe(false);
  });
});

test("a glob of stars matches what the expression of the same meaning does", () => {
  const text = (characters: string, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...characters), maxLength });
  fc.assert(
    fc.property(text("ab.*", 8), text("ab.", 12), (glob, name) => {
      const source = glob.replaceAll(".", "\\.").replaceAll(/\*+/g, ".*");
      expect(matches(glob, name)).toBe(new RegExp(`^${source}$`).test(name));
    }),
  );
});

test.each(["[a", "{a,b", "/(/", "[z-a]"])("%s is a problem", (pattern) => {
  const problems = createProblems();
  compileIndexPattern(pattern, ["formats", 0, "index", 0], problems);
  expect(problems.list).toMatchObject([{ path: ["formats", 0, "index", 0] }]);
});

test("the first format that matches is found, also the second time", async () => {
  const formats = [
    { name: "game", index: ["m*", "n*"], type: "json" },
    { name: "rest", index: "*.log", type: "logfmt" },
  ];
  const { formatFor, formatNamed } = await openFormats(parserConfigSchema.parse({ formats }));
  const names = ["m1.log", "n2", "x.log", "x.txt", "m1.log", "x.txt"].map((index) => formatFor(index)?.name);
  expect(names).toEqual(["game", "game", "rest", undefined, "game", undefined]);
  expect(formatNamed("rest")?.name).toBe("rest");
  expect(formatNamed("none")).toBeUndefined();
});
