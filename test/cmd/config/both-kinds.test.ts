import { describe, expect, it, test } from "vitest";
import { linesOf, problemsOf } from "./load.ts";

const channel = (targets: string, more = "auth: off") =>
  `webhook: { channels: { a: { ${more}, targets: ${targets} } },`;

describe("values that are wrong and names that are not there are reported at once", () => {
  it.each<[string, string, readonly string[]]>([
    [
      "a target",
      `drainMs: soon\n${channel("[nope]")} targets: { b: { kind: log } } }`,
      [
        "drainMs: must be a number of milliseconds",
        'webhook.channels.a.targets[0]: there is no target "nope", valid are "b"',
      ],
    ],
    [
      "a target beside a channel that is wrong itself",
      `${channel("[nope]", "mode: queue")} targets: { b: { kind: log } } }`,
      ["webhook.channels.a: needs secrets", "webhook.channels.a.targets[0]: there is no target"],
    ],
    [
      "another target than the one that is wrong",
      `${channel("[b, c]")} targets: { b: { kind: htp } } }`,
      ["webhook.channels.a.targets[1]: there is no target", "webhook.targets.b.kind: must be"],
    ],
    [
      "a project, in an entry after one that is wrong",
      `projects: [{ id: 1 }]
analysis:
  tokens:
    - { name: a, token: long-enough, projects: many }
    - { name: b, token: long-enough, projects: [2] }`,
      ["analysis.tokens[0].projects: must be", "analysis.tokens[1].projects[0]: there is no project 2"],
    ],
    [
      "a format",
      `log: { level: loud }
projects: [{ id: 1 }]
parser: { store: { project: 1, formats: [x] } }`,
      ["log.level: must be", 'parser.store.formats[0]: there is no format "x"'],
    ],
    [
      "a key and a project",
      "lisen: 127.0.0.1:1\nparser: { store: { project: 7 } }",
      ['lisen: unknown key "lisen"', "parser.store.project: there is no project 7"],
    ],
  ])("%s", (_what, text, expected) => {
    const lines = linesOf(problemsOf(text)).map((line) => line.replace(/^engage\.yaml:\d+:\d+: /, ""));
    expect(lines).toEqual(expected.map((start) => expect.stringContaining(start)));
  });
});

describe("what may only seem to be missing is not reported", () => {
  it.each<[string, string, number]>([
    ["the list of projects under another name", "project: [{ id: 1 }]\nparser: { store: { project: 1 } }", 1],
    ["a project that is wrong", "projects: [{ id: 1, engine: x }]\nparser: { store: { project: 1 } }", 1],
    ["a target that is wrong", `${channel("[b]")} targets: { b: { kind: htp } } }`, 1],
    [
      "a format that is wrong",
      `projects: [{ id: 1 }]
parser: { store: { project: 1, formats: [x] }, formats: [{ name: x, index: "*", type: jsn }] }`,
      1,
    ],
    ["keys of which one is wrong", "auth: { mode: keys, keys: [{ name: a, sha256: x }] }", 1],
    ["a channel under another section", `webhok: {}\nmetrics: { auth: keyz }`, 2],
  ])("%s", (_what, text, count) => {
    expect(linesOf(problemsOf(text))).toHaveLength(count);
  });
});

test("a configuration that is no section of keys has that one fault", () => {
  expect(linesOf(problemsOf("- a\n"))).toEqual(["engage.yaml:1:1: must be a section of keys, got a list"]);
});
