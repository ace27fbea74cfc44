import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeDeadLetter } from "../../../store/deadletters/deadletters.ts";
import { letter } from "../../conformance/deadletters.ts";

describe("dead letter", () => {
  it.each([
    ["abcdef", { line: "abcd", line_length: 6 }],
    ["abcd", { line: "abcd" }],
    ["abc😀", { line: "abc", line_length: 5 }],
    [Buffer.from("abcdef"), { line_base64: "YWJjZA==", line_length: 6 }],
  ])("of %j is cut at four", (line, expected) => {
    expect(JSON.parse(encodeDeadLetter(letter({ line }), 4))).toMatchObject(expected);
  });

  it("has a bounded message and index", () => {
    const text = encodeDeadLetter(letter({ message: "m".repeat(5_000), index: "i".repeat(5_000) }));
    expect(text.length).toBeLessThan(2_500);
  });

  it("is one line of JSON, whatever the line", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array()), (line) => {
        const text = encodeDeadLetter(letter({ line }));
        expect(text.indexOf("\n")).toBe(text.length - 1);
        expect(JSON.parse(text)).toHaveProperty("reason", "invalid_json");
      }),
    );
  });
});
