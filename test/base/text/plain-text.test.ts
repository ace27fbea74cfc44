import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "../../../base/text/plain-text.ts";

describe("plain text", () => {
  it.each([
    [undefined, ""],
    [null, ""],
    ["", ""],
    ["a", "a"],
    [true, "true"],
    [0, "0"],
    [-0, "0"],
    [1.5, "1.5"],
    [1e21, "1000000000000000000000"],
    [1.25e-7, "0.000000125"],
    [-5e-7, "-0.0000005"],
    [Number.NaN, ""],
    [9007199254740993n, "9007199254740993"],
    [["a", "b"], '["a","b"]'],
    [{ a: 1n }, '{"a":"1"}'],
  ])("of %s is %s", (value, text) => {
    expect(plainText(value)).toBe(text);
  });

  it("of a number reads back as it, in digits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(plainText(value)).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(plainText(value)) + 0).toBe(value + 0);
      }),
    );
  });
});
