import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { createAuthorizer } from "../../../gateway/auth.ts";

describe("rules", () => {
  it.each([
    ["Echo", []],
    ["*/*", []],
    ["engage.test.v1.Library", []],
    ["engage.test.v1.Library/Ec*", []],
    ["", []],
  ])('refuse the pattern "%s"', (pattern) => {
    const rule = { name: "k", sha256: sha256Hex("k"), methods: [pattern] };
    expect(() => createAuthorizer({ mode: "keys", keys: [rule] })).toThrow(
      `methods of key "k" has "${pattern}", valid are "*", "package.Service/*" and "package.Service/Method"`,
    );
  });

  it.each([
    [
      "a digest that is none",
      [{ name: "k", sha256: "abc", methods: ["*"] }],
      'sha256 of key "k" must be 64 hexadecimal digits',
    ],
    [
      "one key under two names",
      [
        { name: "k", sha256: sha256Hex("k"), methods: ["*"] },
        { name: "l", sha256: sha256Hex("k"), methods: [] },
      ],
      'keys "k" and "l" are the same key',
    ],
  ])("refuse %s", (_, rules, message) => {
    expect(() => createAuthorizer({ mode: "keys", keys: rules })).toThrow(message);
  });

  it("hash keys with SHA-256", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
