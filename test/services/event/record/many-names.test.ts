import { describe, expect, it } from "vitest";
import { accepted, check, droppedOf, event, user } from "./checking.ts";

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const objectOf = (keys: readonly string[]): Record<string, number> =>
  Object.fromEntries(keys.map((key) => [key, 1]));
/** Comparing each name of each record with those before it takes minutes. */
const records = numbers(1_000);

/** Properties whose names are distinguished in other ways. */
const shapes: readonly (readonly [string, unknown])[] = [
  ["mixed case", event(objectOf(numbers(999).map((i) => `Name${i}`)))],
  ["presets", event(objectOf(numbers(999).map((i) => `#name${i}`)))],
  [
    "objects in mixed case",
    event(Object.fromEntries(numbers(9).map((i) => [`O${i}`, objectOf(numbers(99).map((k) => `K${k}`))]))),
  ],
  [
    "a group in mixed case",
    event({ Rows: [objectOf(numbers(100).map((i) => `A${i}`)), objectOf(numbers(100).map((i) => `a${i}`))] }),
  ],
];

describe("a thousand records of many names", () => {
  it.each(shapes)("%s", (_name, record) => {
    const kept = records.map(() => accepted(check(record)).values.length);
    expect(new Set(kept)).toEqual(new Set([accepted(check(record)).values.length]));
    expect(kept[0]).toBeGreaterThan(100);
  });

  it("what is there twice is dropped however many stand between", () => {
    const names = numbers(400).map((i) => `Name${i}`);
    const twice = event({ ...objectOf(names), ...objectOf(names.map((name) => name.toUpperCase())) });
    expect(accepted(check(twice)).values.map(({ name }) => name)).toEqual(
      names.map((name) => name.toLowerCase()),
    );
    expect(droppedOf(check(twice))).toEqual(names.map((name) => `${name.toUpperCase()}: double`));
  });

  it("user_unset", () => {
    const names = numbers(900).map((i) => `n${i}`);
    const known = Object.fromEntries(names.map((name) => [`user:${name}`, "number"] as const));
    const unset = user("user_unset", objectOf([...names, ...names.map((name) => name.toUpperCase())]));
    expect(accepted(check(unset, known)).values.map(({ name }) => name)).toEqual(names);
  });
});
