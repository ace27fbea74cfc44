import { describe, expect, it } from "vitest";
import { createBatchParser } from "../../../../services/parser/line/batch.ts";
import type { Format } from "../../../../services/parser/line/line.ts";
import { parserOf, plain } from "./batch-parser.ts";

describe("hostile contents", () => {
  it.each([
    [
      "bytes that are not UTF-8",
      Buffer.concat([Buffer.from('plain.log|ta|{"a":1}::plain.log|ta|"'), Buffer.of(0xff, 0x80)]),
      '{"properties":{"a":1}}::{}',
      { invalid_utf8: 1 },
    ],
    [
      "NUL bytes",
      '\0::plain.log|ta|\0::plain.log|ta|{"a":"\\u0000"}',
      '{}::{}::{"properties":{"a":"\\u0000"}}',
      { no_index: 1, invalid_json: 1 },
    ],
    ["no index", "x::y", "{}", { no_index: 1 }],
    [
      "a line too long",
      `plain.log|ta|{"a":"${"é".repeat(600)}"}::plain.log|ta|{}`,
      "{}::{}",
      { line_too_long: 1 },
    ],
    ["a deep line", `plain.log|ta|${"[".repeat(1_000)}`, "{}", { invalid_json: 1 }],
  ])("%s", async (_name, content, answer, failed) => {
    const parse = await parserOf([plain], { maxLineBytes: 1_024 });
    expect(parse(content)).toMatchObject({ text: answer, failed });
  });

  it("keeps bytes that are not UTF-8 as base64", async () => {
    const parse = await parserOf([plain]);
    const { letters } = parse(Buffer.concat([Buffer.from("plain.log|ta|"), Buffer.of(0xff, 0x00)]));
    expect(letters).toMatchObject([{ reason: "invalid_utf8", line_base64: "/wA=" }]);
  });

  it("keeps the beginning of a long line and tells its length", async () => {
    const parse = await parserOf([plain]);
    const { letters } = parse(`plain.log|ta|${"x".repeat(10_000_000)}`);
    expect(letters).toMatchObject([
      { reason: "invalid_json", line: "x".repeat(65_536), line_length: 10_000_000 },
    ]);
  });

  it("answers a million empty items", async () => {
    const parse = await parserOf([plain]);
    const { text, failed, letters } = parse(
      Array.from({ length: 1_000_000 }, () => "plain.log|ta|").join("::"),
    );
    expect(text.length).toBe(4 * 1_000_000 - 2);
    expect(failed).toEqual({ empty_line: 1_000_000 });
    expect(letters).toEqual([]);
  });

  it("survives a format that throws", () => {
    const thrower: Format = {
      name: "thrower",
      parseLine: () => {
        throw new RangeError("out of stack");
      },
    };
    const parse = createBatchParser({
      formatFor: () => thrower,
      separators: { item: "::", index: "|ta|", record: "\u0001" },
      maxLineBytes: 100,
      now: () => 0,
    });
    const parsed = parse({ content: Buffer.from("a|ta|x"), framing: "items", index: "", source: "test" });
    expect(Buffer.from(parsed.content).toString()).toBe("{}");
    expect(parsed.counts.failedByReason.get("internal_error")).toBe(1);
  });
});

describe("separators in records", () => {
  it("are escaped where they can be, and refused where not, in batches of any length", async () => {
    const loose = { name: "loose", index: "loose.log", type: "pass_through", check: "none" };
    const parse = await parserOf([loose, { ...plain, records: "list" }]);
    const kinds = [
      ['loose.log|ta|{"a": 1.0}', '{"a": 1.0}'],
      ['loose.log|ta|{"a": "1::2"}', '{"a":"1:\\u003a2"}'],
      ["loose.log|ta|{1::2}", "{}"],
      [
        'plain.log|ta|{"list":[{"a":"::"},{"b":1}]}',
        '{"properties":{"a":":\\u003a"}}\u0001{"properties":{"b":1}}',
      ],
      ["plain.log|ta|", "{}"],
    ] as const;
    const sent = Array.from({ length: 20_000 }, (_, at) => kinds[(at * 7 + (at >> 3)) % kinds.length]!);
    const { text, counts, failed, letters } = parse(sent.map(([item]) => item).join("::"));
    expect(text.split("::")).toEqual(sent.map(([, answer]) => answer));
    const times = (kind: number) => sent.filter((one) => one === kinds[kind]).length;
    expect(failed).toEqual({ separator_in_record: times(2), empty_line: times(4) });
    expect(counts.records).toBe(times(0) + times(1) + 2 * times(3));
    expect(letters).toHaveLength(times(2));
    expect(letters[0]).toMatchObject({
      index: "loose.log",
      format: "loose",
      reason: "separator_in_record",
      line: "{1::2}",
    });
  });
});
