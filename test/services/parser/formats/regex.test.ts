import { describe, expect, test } from "vitest";
import { failure, openFormat } from "./open-format.ts";

test.each([
  ["(?P<level>[A-Z]+) (?P<text>.*)", "at 12: WARN disk full", { level: "WARN", text: "disk full" }],
  ["(?<level>[A-Z]+)", "INFO", { level: "INFO" }],
  ["^(?P<a>x)?(?P<b>y)$", "y", { b: "y" }],
  ["(?i)^user=(?P<user>\\pL+)", "USER=Łukasz", { user: "Łukasz" }],
  ["(?P<__proto__>x)(?P<constructor>y)", "xy", JSON.parse('{"__proto__":"x","constructor":"y"}')],
])("%s", async (pattern, line, values) => {
  const parse = await openFormat({ type: "regex", pattern });
  expect(parse(line)).toEqual([{ properties: values }]);
});

test("a line that does not match", async () => {
  const parse = await openFormat({ type: "regex", pattern: "^(?P<a>x)$" });
  expect(parse("xy")).toMatchObject(failure("no_match"));
});

describe("a hostile line takes linear time", () => {
  test.each(["(?P<x>(a+)+)$", "(?P<x>(a|aa)+)$", "^(?P<x>(.*)*)!$"])("%s", async (pattern) => {
    const parse = await openFormat({ type: "regex", pattern });
    expect(parse(`${"a".repeat(1_000_000)}b`)).toMatchObject(failure("no_match"));
  });

  test("a longer line is refused", async () => {
    const parse = await openFormat({ type: "regex", pattern: "(?P<x>a+)" });
    expect(parse("a".repeat(1_048_577))).toMatchObject(failure("line_too_long"));
  });
});
