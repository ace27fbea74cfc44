import { describe, expect, test } from "vitest";
import { fillIn } from "../../console/src/texts/catalogue.ts";
import { en } from "../../console/src/texts/en/en.ts";
import { zh } from "../../console/src/texts/zh/zh.ts";

const keys = Object.keys(en) as (keyof typeof en)[];
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe("every text", () => {
  test("is there in both languages, and nothing else is", () => {
    expect(Object.keys(zh).sort()).toEqual([...keys].sort());
    expect(keys.filter((key) => en[key].trim() === "" || zh[key].trim() === "")).toEqual([]);
  });

  test("has the same names to replace in both", () => {
    expect(keys.filter((key) => namesIn(en[key]).join() !== namesIn(zh[key]).join())).toEqual([]);
  });

  test("is translated", () => {
    expect(keys.filter((key) => en[key] === zh[key])).toEqual([]);
  });
});

test("names are replaced by values as they are, and unknown ones stay", () => {
  expect(fillIn("{a} of {b}, {c}", { a: "{b}", b: "$&" })).toBe("{b} of $&, {c}");
});

test("values do not turn the direction of the text around them", () => {
  expect(fillIn("Delete {name}?", { name: "\u202egnp.exe\u2069" })).toBe("Delete [U+202E]gnp.exe[U+2069]?");
  expect(fillIn("Delete {name}?", { name: "שלום \u200f😀" })).toBe("Delete שלום \u200f😀?");
});
