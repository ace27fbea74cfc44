import fc from "fast-check";
import { expect, it } from "vitest";
import { parseDynamicText } from "../../../../services/channel/channels/dynamic-text.ts";

it.each<[string, unknown[]]>([
  ["", []],
  ["plain", [{ kind: "text", text: "plain" }]],
  ["{level}", [{ kind: "property", property: "level" }]],
  [
    "Hi {#account_id}, {{x}}!",
    [
      { kind: "text", text: "Hi " },
      { kind: "property", property: "#account_id" },
      { kind: "text", text: ", {x}!" },
    ],
  ],
  [
    "{a}{b.c}",
    [
      { kind: "property", property: "a" },
      { kind: "property", property: "b.c" },
    ],
  ],
])("reads %j", (text, parts) => {
  expect(parseDynamicText(text)).toEqual(parts);
});

it("gives any text back whose braces are doubled", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "{", "}", "é", " ") }), (text) => {
      const parts = parseDynamicText(text.replaceAll("{", "{{").replaceAll("}", "}}"));
      expect(parts.map((part) => ("text" in part ? part.text : "?")).join("")).toBe(text);
    }),
  );
});
