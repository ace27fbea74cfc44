import { describe, expect, it } from "vitest";
import { mistakesOf } from "../../../cmd/serve/formats.ts";
import { runEngage } from "../run-engage.ts";
import { folderWith, linesOf, loadText } from "./load.ts";

const mistakesIn = (yaml: string) => linesOf(mistakesOf(loadText(yaml)));

const formatsOf = (mapping: string) => `parser:
  formats:
    - name: a
      index: a
      type: json
${mapping}`;

describe("keys that are comments", () => {
  it("are reported each at its place, with the quotes that they need", () => {
    const mapping = `      mapping:
        #type: { value: track }
        #time: t
        # a comment
        # type: { value: track }
        "#account_id": id
        #event_name:
        level: lvl
`;
    const lost = (line: number, name: string) =>
      `engage.yaml:${line}:9: ${name} begins a comment, so that the mapping lacks it: write "${name}" with quotes`;
    expect(mistakesIn(formatsOf(mapping))).toEqual([
      lost(7, "#type"),
      lost(8, "#time"),
      lost(12, "#event_name"),
    ]);
  });

  it.each([
    ["all of a mapping", "      mapping:\n        #type: x\n"],
    ["one after the others", "      mapping:\n        level: l\n        #type: x\n"],
    [
      "one before a key beside the mapping",
      "      mapping:\n        level: l\n        #type: x\n      rest: all\n",
    ],
    ["one in braces", "      mapping: { level: l, #type: x\n        other: o }\n"],
    ["the first in braces", "      mapping: { #type: x\n        other: o }\n"],
    ["one in braces on a line of its own", "      mapping: {\n        #type: x,\n        other: o }\n"],
    ["one with a quote too few", `      mapping:\n        level: l\n        #type": x\n`],
  ])("are found as %s", (_name, mapping) => {
    expect(mistakesIn(formatsOf(mapping))).toContainEqual(expect.stringContaining("#type begins a comment"));
  });

  it.each([
    ["a comment with a space", "      mapping:\n        # #type: x\n        level: l\n"],
    ["another word", "      mapping:\n        #level: x\n        other: l\n"],
    ["a key with quotes", '      mapping:\n        "#type": x # #type: as it comes\n'],
    ["a text", "      mapping:\n        level: 'a #type: b'\n"],
    ["a comment elsewhere", "      #type: json\n      mapping:\n        level: l\n"],
    ["a comment after a mapping", "      mapping:\n        level: l\n      #type: x\n      rest: all\n"],
  ])("are not found in %s", (_name, mapping) => {
    expect(mistakesIn(formatsOf(mapping))).toEqual([]);
  });
});

describe("config --check", () => {
  const check = async (yaml: string) => {
    const { code, stdout, stderr } = await runEngage(["config", "--check"], {
      cwd: folderWith({ "engage.yaml": yaml }),
    });
    return { code, text: stdout + stderr };
  };

  it("reports mistakes in mappings and formats that no line reaches, each at its place", async () => {
    const yaml = `parser:
  formats:
    - { name: all, index: "*", type: json, mapping: { "#type": { value: trak }, "#foo": a, "b c": b } }
    - { name: rest, index: "*.log", type: json }
`;
    const { code, text } = await check(yaml);
    expect(code).toBe(1);
    expect(text).toContain(
      'engage.yaml:3:64: parser.formats[0].mapping["#type"]: "trak" is not a record type',
    );
    expect(text).toMatch(/engage\.yaml:3:\d+: parser\.formats\[0\]\.mapping\["#foo"\]: "#foo" is not known/);
    expect(text).toMatch(
      /engage\.yaml:3:\d+: parser\.formats\[0\]\.mapping\["b c"\]: "b c" is not a valid property name/,
    );
    expect(text).toMatch(/engage\.yaml:4:\d+: parser\.formats\[1\]\.index.*: "\*\.log" is never reached/);
  });

  it("warns of secrets that are too short, without showing them", async () => {
    const yaml = `projects: [{ id: 1, appids: [a] }]
analysis: { tokens: [{ name: a, token: short12, projects: "*" }, { name: b, token: longer12, projects: "*" }] }
webhook:
  channels:
    c: { secrets: [{ value: abc }], headers: { x-env: dev } }
  targets:
    t: { kind: http, url: "https://a.example/", headers: { x-env: dev, x-api-key: k1 } }
  inbox: { driver: postgres, url: "postgres://user:pw@127.0.0.1/db" }
`;
    const { code, text } = await check(yaml);
    expect(code).toBe(0);
    expect(text.split("\n").map((line) => line.split(": ").slice(0, 2).join(": "))).toEqual([
      "engage.yaml: no problems, but these can be better:",
      "  engage.yaml:2:40: analysis.tokens[0].token",
      "  engage.yaml:5:29: webhook.channels.c.secrets[0].value",
      "  engage.yaml:5:55: webhook.channels.c.headers.x-env",
      "  engage.yaml:7:83: webhook.targets.t.headers.x-api-key",
      "  engage.yaml:8:35: webhook.inbox.url",
      "  engage.yaml:5:8: webhook.channels.c.targets",
      "  engage.yaml:7:8: webhook.targets.t",
      "",
    ]);
    expect(text).not.toMatch(/short12|abc|k1|pw@/);
  });
});
