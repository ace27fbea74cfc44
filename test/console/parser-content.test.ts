import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { textOf } from "../../console/src/controls/bytes/bytes.ts";
import { roleName, shownTokens, visible } from "../../console/src/pages/parser/content.ts";
import { requestOf, settingsOf } from "../../console/src/pages/parser/request.ts";
import { FramingRole, FramingTokenSchema } from "../../gen/engage/parser/v1/parser_explainer_pb.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test.each<[string, Uint8Array, string]>([
  ["a text stays as it is", bytesOf("a b 中"), "a b 中"],
  ["a tab and line ends are escaped", bytesOf("a\tb\r\n"), "a\\tb\\r\\n"],
  ["other control characters too", bytesOf("\u0001\u001f"), "\\x01\\x1f"],
  ["those beyond ASCII are escaped", bytesOf("\u007f\u0085"), "\\x7f\\x85"],
  [
    "bytes that are not UTF-8 are escaped, the rest is readable",
    Uint8Array.of(0x61, 0xff, 0x0a),
    "a\\xff\\n",
  ],
  ["nothing", new Uint8Array(), ""],
])("%s", (_what, bytes, shown) => expect(visible(bytes)).toBe(shown));

test("a byte order mark is not lost", () => expect(textOf(bytesOf("\ufeffa"))).toBe("\ufeffa"));

test("tokens show their bytes, with one that ends within a character escaped", () => {
  const content = bytesOf("log|é\n");
  const token = (offset: number, length: number, role: FramingRole) =>
    create(FramingTokenSchema, { offset, length, role, lineNumber: 0 });
  const tokens = [
    token(0, 3, FramingRole.INDEX),
    token(3, 1, FramingRole.INDEX_SEPARATOR),
    token(4, 1, FramingRole.DATA),
    token(5, 1, FramingRole.TRIMMED),
    token(6, 1, FramingRole.LINE_END),
  ];
  const shown = shownTokens(content, tokens);
  expect(shown.map(({ text }) => text)).toEqual(["log", "|", "\\xc3", "\\xa9", "\\n"]);
  expect(shown.map(({ role }) => roleName(role))).toEqual([
    "index",
    "indexSeparator",
    "data",
    "trimmed",
    "lineEnd",
  ]);
});

test("each role has a name, and one that is not known counts as data", () => {
  const roles = Object.values(FramingRole).filter((role) => typeof role === "number");
  expect(new Set(roles.map(roleName)).size).toBe(roles.length - 1);
  expect(roleName(99 as FramingRole)).toBe("data");
});

test.each([
  [{}, { source: "index", framing: "" }, undefined],
  [{ formats: "name", format: "game" }, { source: "name" }, { case: "format", value: "game" }],
  [{ formats: "inline", inline: "x" }, { source: "inline" }, { case: "inlineFormats", value: "x" }],
  [{ formats: "other", framing: "toString" }, { source: "index", framing: "" }, undefined],
])("the settings of %o are read from the URL", (query, settings, formats) => {
  const read = settingsOf(new Map(Object.entries(query)));
  expect(read).toMatchObject(settings);
  expect(requestOf(bytesOf("a"), read)).toMatchObject({
    content: bytesOf("a"),
    formats: formats ?? { case: undefined },
  });
});
