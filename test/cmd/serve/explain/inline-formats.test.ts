import { describe, expect, it } from "vitest";
import { formatProblems } from "../../../../cmd/config/problem.ts";
import { hasMeta, optionsOf } from "../../../../cmd/config/schema/walk.ts";
import { printFormats, readInlineFormats } from "../../../../cmd/serve/explain/inline-formats.ts";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { formatSchema } from "../../../../services/parser/formats/config.ts";
import { linesOf, loadText, problemsOf } from "../../config/load.ts";

const configured = parserConfigSchema.parse({ separator: ":ta:", maxLineBytes: 999 });
const format = 'name: a # of the shop\nindex: a.log\ntype: json\nmapping: { "#account_id": id }\n';
const indented = format.trimEnd().replaceAll("\n", "\n      ");

function read(text: string) {
  const found = readInlineFormats(text, configured);
  return "config" in found
    ? found
    : formatProblems(found)
        .split("\n")
        .map((line) => line.trim());
}

const document = `parser:\n  formats:\n    - ${indented}\n`;

describe("formats as text", () => {
  it.each([
    ["a format", format],
    ["a list", `- ${indented.replaceAll("\n      ", "\n  ")}\n`],
    ["a section", `formats:\n  - ${indented.replaceAll("\n      ", "\n    ")}\n`],
    ["a document", document],
  ])("may be %s", (_name, text) => {
    const { formats } = parserConfigSchema.parse({
      formats: [{ name: "a", index: "a.log", type: "json", mapping: { "#account_id": "id" } }],
    });
    expect(read(text)).toMatchObject({
      config: { formats, separator: ":ta:", maxLineBytes: 999 },
      configuration: document,
      warnings: [],
    });
  });

  it("may be JSON, and replace separators", () => {
    const text = JSON.stringify({ separator: "@@", formats: [{ name: "a", index: "*", type: "logfmt" }] });
    const found = read(text);
    expect(found).toMatchObject({ config: { separator: "@@", indexSeparator: "|ta|" } });
    expect(loadText((found as { configuration: string }).configuration).config.parser).toMatchObject({
      separator: "@@",
      formats: [{ name: "a", type: "logfmt" }],
    });
  });

  it("may have likely mistakes", () => {
    expect(read('name: a\nindex: a\ntype: json\nmapping:\n  "#foo": a\n  #time: t\n')).toMatchObject({
      warnings: [
        { where: "6:3", message: expect.stringContaining("begins a comment") },
        { where: "5:11", path: 'parser.formats[0].mapping["#foo"]' },
      ],
    });
  });

  it.each([
    ["a missing key", "name: a\ntype: json"],
    ["an unknown key", `${format}foo: 1`],
    ["a wrong type", "name: a\nindex: a\ntype: jsno"],
    ["a wrong value", `${format}rest: some`],
    ["bad YAML", "name: [a"],
    ["a repeated key", "name: a\nname: b"],
  ])("have the faults of a configuration: %s", (_name, text) => {
    const inFile = `parser:\n  formats:\n    - ${text.replaceAll("\n", "\n      ")}\n`;
    const own = read(text) as string[];
    const ofFile = linesOf(problemsOf(inFile));
    const withoutPlace = (line: string) => line.replace(/^(?:engage\.yaml:)?\d+:\d+: /, "");
    expect(own.map(withoutPlace)).toEqual(ofFile.map(withoutPlace));
    expect(own[0]).toMatch(/^\d+:\d+: /);
  });

  it.each([
    [
      "a module",
      "name: a\nindex: a\ntype: module\nmodule: /etc/passwd",
      [
        '3:7: parser.formats[0].type: must not be "module": a module is code, which runs only if it is configured',
      ],
    ],
    [
      "another section",
      "parser: { formats: [] }\nlisten: x",
      ['2:1: listen: unknown key "listen", the only valid key here is parser'],
    ],
    [
      "a text",
      "plain",
      ["1:1: must be a format, a list of formats, a parser section or a document with this section"],
    ],
    [
      "nothing",
      "",
      ["1:1: must be a format, a list of formats, a parser section or a document with this section"],
    ],
  ])("may not be %s", (_name, text, problems) => {
    expect(read(text)).toEqual(problems);
  });

  it("may not repeat themselves without end", () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
      .split("")
      .map((name, i) => `${name}: &${name} [${new Array(9).fill(`*${"abcdefg"[i]}`).join(",")}]`)
      .join("\n")}`;
    expect(read(bomb)).toEqual([expect.stringMatching(/^1:1: not valid YAML/)]);
  });
});

it("no setting of a format but the module of a module names a file", () => {
  const paths = optionsOf(formatSchema).flatMap(({ _zod: { def } }) =>
    def.type === "object" ? Object.entries(def.shape).filter(([, child]) => hasMeta(child, "path")) : [],
  );
  expect(paths.map(([key]) => key)).toEqual(["module"]);
});

describe("configured formats", () => {
  it("are printed so that they can be read again", () => {
    const { formats } = parserConfigSchema.parse({
      formats: [
        {
          name: "game",
          index: ["a.log", "/^b/"],
          type: "json",
          records: "list",
          unwrap: { key: "log" },
          mapping: {
            "#account_id": "id",
            "#type": { value: "track" },
            "#time": { from: "t", type: "time", format: "yyyy-MM-dd HH:mm:ss" },
            "#event_name": "event_{code}",
          },
        },
        {
          name: "c",
          index: "c",
          type: "delimited",
          separator: "\u0001",
          columns: ["a", { name: "n", type: "number" }],
        },
      ],
    });
    const found = readInlineFormats(printFormats(formats), configured);
    expect(found).toMatchObject({ config: { formats } });
  });
});
