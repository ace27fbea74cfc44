import { describe, expect, it } from "vitest";
import { ValueShapes } from "../../../base/json/value-shapes.ts";

/** Learns from the first two values, and returns which of the others are read, with their marks. */
function readAll(values: readonly string[], marksOf: (value: string) => readonly number[] = () => []) {
  const bytes = Buffer.from(values.join(","));
  const shapes = new ValueShapes<string>(2);
  const reader = shapes.open(bytes)!;
  let at = 0;
  return values.map((value, index) => {
    const start = at;
    const end = start + Buffer.byteLength(value);
    at = end + 1;
    const meaning = reader.read(start);
    if (index < 2)
      reader.learn(
        start,
        end,
        marksOf(value).map((mark) => start + mark),
        "known",
      );
    const isRead = meaning === "known" && reader.end === end;
    return isRead ? reader.marks.map((mark) => mark - start) : meaning;
  });
}

describe("a shape", () => {
  const known = ['{"a":"x","b":[1,true]}', '{"a":"y","b":[2,true]}'];
  const table: [value: string, isRead: boolean][] = [
    ['{"a":"","b":[-1.5e+3,true]}', true],
    ['{"a":"\\"\\\\\\u00aF","b":[0,true]}', true],
    ['{"a":"é😀","b":[0,true]}', true],
    ['{"a":"\\x","b":[0,true]}', false],
    ['{"a":"\\u00g0","b":[0,true]}', false],
    ['{"a":"\n","b":[0,true]}', false],
    ['{"a":"x","b":[01,true]}', false],
    ['{"a":"x","b":[1.,true]}', false],
    ['{"a":"x","b":["1",true]}', false],
    ['{"a":"x","b":[1,false]}', true],
    ['{"a":"x","b":[1,null]}', false],
    ['{"a":1,"b":[1,true]}', false],
    ['{"a":"x","b":[1, true]}', false],
    ['{"a":"x","c":[1,true]}', false],
  ];
  it.each(table)("%j: %j", (value, isRead) => {
    expect(readAll([...known, value])[2]).toEqual(isRead ? [] : undefined);
  });

  it("is one when a second value has it", () => {
    expect(readAll([known[0]!, '{"b":1}', known[1]!, '{"b":2}'])).toEqual(Array(4).fill(undefined));
  });

  it("tells where its marks are", () => {
    const values = ["a", "bb", "ccc", ""].map((text) => `{"k":"${text}","n":1${text.length},"m":{}}`);
    const marksOf = (value: string): number[] => [
      5,
      value.indexOf(',"n"'),
      value.indexOf("{}"),
      value.length,
    ];
    expect(readAll(values, marksOf).slice(2)).toEqual(values.slice(2).map(marksOf));
  });

  it("has a string without escapes at a mark", () => {
    const values = ["a", "b", "c", "\\n"].map((text) => `{"k":"${text}"}`);
    expect(readAll(values, () => [5])).toEqual([undefined, undefined, [5], undefined]);
  });
});

describe("many shapes", () => {
  it.each([
    ["64 numbers", "1", 64, true],
    ["65 numbers", "1", 65, false],
    ["65 strings", '"x"', 65, false],
    ["4,000 numbers, whose expression would overflow a stack", "1", 4_000, false],
  ])("values with %s", (_what, element, count, isRead) => {
    const value = `{"a":[${Array(count).fill(element).join(",")}]}`;
    expect(readAll([value, value, value])[2]).toEqual(isRead ? [] : undefined);
  });

  it("replace each other only every 16 texts", () => {
    const shapes = new ValueShapes<string>(2);
    const isLearned = (text: string): boolean => {
      const bytes = Buffer.from(text);
      for (let time = 0; time < 2; time++) {
        const reader = shapes.open(bytes)!;
        if (reader.read(0) === undefined) reader.learn(0, bytes.length, [], "known");
      }
      return shapes.open(bytes)!.read(0) === "known";
    };
    expect(Array.from({ length: 12 }, (_, at) => isLearned(`{"k${at}":1}`))).toEqual([
      ...[true, true, false, false, false, false],
      ...[false, true, false, false, false, false],
    ]);
  });
});

describe("a text", () => {
  it("of many windows is read to its end", () => {
    const values = Array.from({ length: 2_000 }, (_, at) => `{"a":"${"x".repeat(at % 400)}","n":${at}}`);
    const read = readAll(values);
    expect(read.slice(2).filter((marks) => marks !== undefined)).toHaveLength(values.length - 2);
  });

  it("of values without common shapes teaches a few", () => {
    const values = Array.from({ length: 9 }, (_, at) => `{"k${at >> 1}":1}`);
    const shapes = new ValueShapes<string>(8);
    const reader = shapes.open(Buffer.from(values.join(",")))!;
    const read = values.map((value, at) => {
      const start = at * (value.length + 1);
      const meaning = reader.read(start);
      if (meaning === undefined) reader.learn(start, start + value.length, [], "known");
      return meaning;
    });
    expect(read).toEqual(Array(9).fill(undefined));
    const again = shapes.open(Buffer.from(values.join(",")))!;
    expect(values.map((value, at) => again.read(at * (value.length + 1)))).toEqual([
      ...Array(4).fill("known"),
      ...Array(5).fill(undefined),
    ]);
  });

  it("is tried less often after many without common shapes, until one has them", () => {
    const shapes = new ValueShapes<string>(2);
    const texts = ['{"a":1}', '{"b":1}', '{"c":1}'].map((value) => Buffer.from(value));
    const tried = Array.from({ length: 40 }, (_, at) => {
      const bytes = texts[at % texts.length]!;
      const reader = shapes.open(bytes);
      reader?.read(0);
      reader?.finish();
      return reader !== undefined;
    });
    expect(tried.map((isTried, at) => (isTried ? at : -1)).filter((at) => at >= 0)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 23, 39,
    ]);
    const learn = Array.from({ length: 64 }, () => {
      const reader = shapes.open(texts[0]!);
      const meaning = reader?.read(0);
      reader?.learn(0, 7, [], "known");
      reader?.finish();
      return meaning;
    });
    expect(learn.slice(-10)).toEqual(Array(10).fill("known"));
  });
});
