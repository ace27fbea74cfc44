import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import {
  checkSeparators,
  compileFind,
  separatorWarnings,
} from "../../../../services/parser/line/separators.ts";

const good = { separator: ":ta:", indexSeparator: "|ta|", recordSeparator: "\u0001" };

describe("separators of a configuration", () => {
  it.each(["::", ":ta:", "||", "##", "\t", "\n", "SEP", "\u0002", " ", "--", "ta", "§", "1a", "}:"])(
    "%j can be used",
    (separator) => {
      expect(checkSeparators({ ...good, separator })).toEqual([]);
    },
  );

  it.each([
    [",", "can occur in JSON outside of strings, where it can't be escaped"],
    ["{}", "can occur in JSON outside of strings, where it can't be escaped"],
    ["}]", "can occur in JSON outside of strings, where it can't be escaped"],
    [":1", "can occur in JSON outside of strings, where it can't be escaped"],
    ["e", "can occur in JSON outside of strings, where it can't be escaped"],
    ["null", "can occur in JSON outside of strings, where it can't be escaped"],
    ["-1.5e+3", "can occur in JSON outside of strings, where it can't be escaped"],
    ['","', "contains a quote or a backslash, which JSON uses itself"],
    ["\\n", "contains a quote or a backslash, which JSON uses itself"],
    ["\ud800", "contains half a surrogate pair, which UTF-8 cannot encode"],
  ])("%j can't", (separator, fault) => {
    const message = `${JSON.stringify(separator)} ${fault}`;
    expect(checkSeparators({ ...good, separator })).toEqual([{ path: ["separator"], message }]);
    expect(checkSeparators({ ...good, recordSeparator: separator })).toEqual([
      { path: ["recordSeparator"], message },
    ]);
  });

  it("finds an index separator in a run of separators", () => {
    const problems = checkSeparators({ ...good, separator: "xyx", indexSeparator: "yxy" });
    expect(problems.map(({ path }) => path)).toEqual([["indexSeparator"]]);
  });

  it.each([
    [{ separator: "::", indexSeparator: "::" }],
    [{ separator: "" }],
    [{ separator: "|ta|x" }],
    [{ separator: "ta" }],
    [{ separator: "\u0001" }],
  ])("the schema refuses %j", (values) => {
    expect(parserConfigSchema.safeParse(values).success).toBe(false);
  });

  it("warns of the default", () => {
    expect(separatorWarnings({ ...good, separator: "::" })).toHaveLength(1);
    expect(separatorWarnings(good)).toEqual([]);
  });
});

it("finds separators as indexOf does", () => {
  const text = fc.string({ unit: fc.constantFrom(":", "t", "a", "{") });
  fc.assert(
    fc.property(
      text,
      fc.string({ unit: fc.constantFrom(":", "t", "a"), minLength: 1 }),
      fc.nat(9),
      (where, what, from) => {
        expect(compileFind(what)(where, from)).toBe(where.indexOf(what, from));
      },
    ),
  );
});
