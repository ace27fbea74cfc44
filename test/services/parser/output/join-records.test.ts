import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileJoin, escapeInLiterals } from "../../../../services/parser/output/join-records.ts";

/**
 * Returns the JSON text with characters in place of \u escapes where JSON allows them. JSON.parse is not used: V8 of
 * Node 24 returns a wrong key for some texts whose keys have escapes.
 */
const withoutEscapes = (json: string | undefined): string | undefined =>
  json?.replace(/\\(?:u([0-9a-f]{4})|.)/g, (text, hex: string | undefined) => {
    const character = hex === undefined ? "" : String.fromCharCode(Number.parseInt(hex, 16));
    return character < " " || character === '"' || character === "\\" ? text : character;
  });

describe("joining records", () => {
  it.each<[string, string[], string | undefined]>([
    ["no records", [], "{}"],
    ["one", ['{"a":1}'], '{"a":1}'],
    ["two", ['{"a":1}', '{"b":2}'], '{"a":1}\u0001{"b":2}'],
    ["a separator in a value", ['{"ip":"2001:db8::1"}'], '{"ip":"2001:db8:\\u003a1"}'],
    ["separators one after another", ['{"a":"x:::::"}'], '{"a":"x:\\u003a:\\u003a:"}'],
    ["a separator in a key", ['{"std::x":1}'], '{"std:\\u003ax":1}'],
    ["an escape before the separator", ['{"a":"\\\\::\\"::"}'], '{"a":"\\\\:\\u003a\\":\\u003a"}'],
    ["a raw record separator in a value", ['{"a":"\u0001"}'], '{"a":"\\u0001"}'],
    ["a separator outside of JSON strings", ["x::y"], undefined],
    ["a separator in quotes of what is no JSON", ['{say "x::y"}'], undefined],
  ])("%s", (_name, records, item) => {
    expect(compileJoin("::", "\u0001")(records)).toBe(item);
  });

  it("keeps an untouched record as it came", () => {
    const record = '{ "big": 12345678901234567890, "b": 1.0, "a": "\\u00e9" }';
    expect(compileJoin("::", "\u0001")([record])).toBe(record);
  });

  it("drops blanks between tokens where they hold the separator", () => {
    expect(compileJoin(", ", "\u0001")(['{"a": 1, "b": "x, y"}'])).toBe('{"a":1,"b":"x,\\u0020y"}');
  });

  it("lets no item end with the beginning of an overlapping separator", () => {
    expect(compileJoin("}}", "\u0001")(['{"a":1}'])).toBeUndefined();
    expect(compileJoin(undefined, "::")(["x:"])).toBeUndefined();
  });

  it("escapes both halves of a character beyond the basic plane", () => {
    expect(compileJoin("😀", "\u0001")(['{"a":"😀"}'])).toBe('{"a":"\\ud83d\\ude00"}');
  });

  const separator = fc.constantFrom("::", ":ta:", "ab", "é", "\u007f", "😀", "x", " ", "#::#");
  const text = fc.string({
    unit: fc.constantFrom("a", "b", ":", "t", "é", "\\", '"', "😀", " ", "\u0001", "x", "#", "|"),
  });
  const values = fc.array(
    fc.dictionary(text, fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(text))),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  it("gives items that split back into exactly their records", () => {
    fc.assert(
      fc.property(separator, fc.constantFrom("\u0001", "|"), values, (item, record, objects) => {
        const joined = compileJoin(item, record)(objects.map((object) => JSON.stringify(object)));
        const [first, ...others] = `${joined}${item}{}`.split(item);
        expect(others).toEqual(["{}"]);
        expect(first?.split(record).map(withoutEscapes)).toEqual(
          objects.map((object) => withoutEscapes(JSON.stringify(object))),
        );
      }),
    );
  });
});

describe("escaping", () => {
  it("keeps the meaning of any JSON for any separators, and drops spaces between tokens", () => {
    const needle = fc.string({ minLength: 1, maxLength: 3 }).filter((text) => !/["\\]/.test(text));
    fc.assert(
      fc.property(fc.json(), fc.array(needle, { maxLength: 3 }), fc.nat(3), (json, needles, indent) => {
        const value = JSON.parse(json);
        const escaped = escapeInLiterals(JSON.stringify(value, null, indent), needles);
        expect(withoutEscapes(escaped)).toBe(withoutEscapes(JSON.stringify(value)));
      }),
    );
  });

  it("takes linear time", () => {
    const json = JSON.stringify({ a: ":".repeat(2_000_000), b: '"'.repeat(1_000_000) });
    expect(JSON.parse(escapeInLiterals(json, ["::"]))).toEqual(JSON.parse(json));
  });
});
