import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visitItems, visitLines, visitWhole } from "../../../../services/parser/line/framing.ts";
import type { LineVisitor } from "../../../../services/parser/line/segment.ts";

type Seen = [index: string | undefined, line: string];

function collect<T>(cut: (visitor: LineVisitor) => T): { seen: Seen[]; collisions: T } {
  const seen: Seen[] = [];
  const visit: LineVisitor["visit"] = (index, line, unreadable) => {
    seen.push([index, unreadable === undefined ? line : `${unreadable.reason} ${unreadable.bytes.length}`]);
  };
  const collisions = cut({ visit });
  return { seen, collisions };
}

function items(content: string | Uint8Array, item = "::", index = "|ta|") {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return collect((visitor) => visitItems(bytes, { item, index, record: "\u0001" }, visitor));
}

describe("items", () => {
  it.each<[string, string, Seen[], number]>([
    ["nothing", "", [], 0],
    ["one", "a|ta|x", [["a", "x"]], 0],
    [
      "two",
      "a|ta|x::b|ta|y",
      [
        ["a", "x"],
        ["b", "y"],
      ],
      0,
    ],
    [
      "empty data",
      "a|ta|::a|ta|",
      [
        ["a", ""],
        ["a", ""],
      ],
      0,
    ],
    ["an empty index", "|ta|x", [["", "x"]], 0],
    [
      "blanks and line ends before the separator",
      "a|ta|x \r\n ::b|ta|y\n",
      [
        ["a", "x"],
        ["b", "y"],
      ],
      0,
    ],
    [
      "tabs, which may be empty columns",
      "a|ta|x\t\t\r\n::b|ta|y",
      [
        ["a", "x\t\t"],
        ["b", "y"],
      ],
      0,
    ],
    [
      "a separator in the data",
      "a|ta|2001:db8::1::b|ta|y",
      [
        ["a", "2001:db8::1"],
        ["b", "y"],
      ],
      1,
    ],
    ["separators at the end", "a|ta|x::::", [["a", "x::::"]], 1],
    [
      "data that end with half a separator",
      "a|ta|x:::b|ta|y",
      [
        ["a", "x:"],
        ["b", "y"],
      ],
      0,
    ],
    [
      "data that end with a separator",
      "a|ta|fe80::::b|ta|y",
      [
        ["a", "fe80::"],
        ["b", "y"],
      ],
      0,
    ],
    [
      "the index separator in the data",
      "a|ta|x|ta|y::b|ta|z",
      [
        ["a", "x|ta|y"],
        ["b", "z"],
      ],
      0,
    ],
    [
      "a first piece without an index",
      "x::y::a|ta|z",
      [
        [undefined, "x::y"],
        ["a", "z"],
      ],
      1,
    ],
    ["no index at all", "x::y", [[undefined, "x::y"]], 1],
    [
      "characters beyond ASCII",
      "日志|ta|战斗::b|ta|é",
      [
        ["日志", "战斗"],
        ["b", "é"],
      ],
      0,
    ],
    [
      "NUL bytes",
      "a|ta|\0x\0::b|ta|\0",
      [
        ["a", "\0x\0"],
        ["b", "\0"],
      ],
      0,
    ],
  ])("%s", (_name, content, seen, collisions) => {
    expect(items(content)).toEqual({ seen, collisions });
  });

  it("refuses only the item that is not UTF-8", () => {
    const content = Buffer.concat([
      Buffer.from("é|ta|é::b|ta|"),
      Buffer.of(0xff, 0xfe),
      Buffer.from("::c|ta|日"),
    ]);
    expect(items(content).seen).toEqual([
      ["é", "é"],
      ["b", "invalid_utf8 2"],
      ["c", "日"],
    ]);
  });

  it("cuts long contents the same as short ones", () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n} ${"::".repeat(n % 3)}é`);
    const { seen, collisions } = items(lines.map((line) => `f${n(line)}.log|ta|${line}`).join("::"));
    expect(seen).toEqual(lines.map((line) => [`f${n(line)}.log`, line]));
    expect(collisions).toBe(lines.join("").split("::").length - 1 - 6_666);
  });

  it.each([
    ["a million empty items", () => Array.from({ length: 1_000_000 }, () => "a|ta|").join("::"), 1_000_000],
    ["a million separators without an index", () => "::".repeat(1_000_000), 1],
    ["ten million bytes in one line", () => `a|ta|${"x:".repeat(5_000_000)}::b|ta|y`, 2],
    ["a million index separators", () => "|ta|".repeat(1_000_000), 1],
  ])("takes linear time for %s", (_name, content, count) => {
    expect(items(content()).seen).toHaveLength(count);
  });

  const data = fc.string({ unit: fc.constantFrom("a", "b", ":", "|", " ", "é", "\0", "战") });
  const separator = fc.constantFrom("::", ":ta:", "##", "é", "战斗", "\u0002", "ab", "|ta", "aba");
  it("gives back what a caller joined", () => {
    fc.assert(
      fc.property(separator, fc.array(fc.tuple(data, data), { minLength: 1 }), (item, pairs) => {
        const content = pairs.map(([index, line]) => `${index}=>${line}`).join(item);
        // Only what the caller can split itself without ambiguity is required to come back.
        fc.pre(content.split(item).length === pairs.length && !content.includes(item.repeat(2)));
        expect(items(content, item, "=>").seen).toHaveLength(pairs.length);
      }),
    );
  });
});

function n(line: string): number {
  return line.length % 2;
}

describe("lines", () => {
  it.each<[string, string, string[]]>([
    ["nothing", "", []],
    ["one", "a", ["a"]],
    ["an LF at the end", "a\nb\n", ["a", "b"]],
    ["no LF at the end", "a\nb", ["a", "b"]],
    ["empty lines", "\n\na\n\n", ["", "", "a", ""]],
    ["CR before LF", "a\r\nb\r", ["a", "b"]],
    ["only one CR", "a\r\r\n", ["a\r"]],
  ])("%s", (_name, content, lines) => {
    const { seen } = collect((visitor) => visitLines(Buffer.from(content), "i", visitor));
    expect(seen).toEqual(lines.map((line) => ["i", line]));
  });

  it("cuts long contents the same as short ones, whatever their bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 400 }), (parts) => {
        const content = Buffer.concat(parts.flatMap((part) => [part, Buffer.from("\n")]));
        const { seen } = collect((visitor) => visitLines(content, "i", visitor));
        expect(seen).toHaveLength(content.toString("latin1").split("\n").length - 1);
      }),
    );
  });
});

describe("none", () => {
  it.each([
    ["one line", "a::b", "a::b"],
    ["several lines", "a\nb\r\n \n", "a\nb"],
    ["nothing", "", ""],
  ])("%s is one record", (_name, content, line) => {
    expect(collect((visitor) => visitWhole(Buffer.from(content), "i", visitor)).seen).toEqual([["i", line]]);
  });
});
