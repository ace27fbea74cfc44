import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { openFormats } from "../../../../services/parser/formats/formats.ts";
import { type Batch, createBatchParser } from "../../../../services/parser/line/batch.ts";
import type { Format } from "../../../../services/parser/line/line.ts";
import { separatorsOf } from "../../../../services/parser/line/separators.ts";
import { parseNdjson } from "../recorder.ts";

const game = {
  name: "game",
  index: "a.log",
  type: "json",
  required: ["ACCOUNTID", "OSTYPE", "LOGTM", "CODE"],
  mapping: {
    "#account_id": "ACCOUNTID",
    "#distinct_id": "OSTYPE",
    "#type": { value: "track" },
    "#ip": "IP",
    "#uuid": "UID",
    "#time": "LOGTM",
    "#event_name": "event_{CODE}",
  },
  rest: "all",
};
const user = {
  name: "user",
  index: "event.log",
  type: "json",
  mapping: { "#account_id": "user_id", "#distinct_id": "distinct_id" },
};
const heart = {
  name: "heart",
  index: "M0001_heart",
  type: "delimited",
  separator: "\u0001",
  columns: [
    "servertime",
    "appkey",
    "version",
    "modelname",
    "normversion",
    "stepnumid",
    "serverid",
    "onlineuser",
    "paidui",
  ],
  mapping: {
    "#account_id": "serverid",
    "#time": "servertime",
    "#event_name": "modelname",
    onlineuser: { from: "onlineuser", type: "number" },
  },
  rest: "drop",
};
const records = { name: "records", index: "{1,ta}.log", type: "pass_through" };
const plain = { name: "plain", index: "plain.log", type: "json" };

async function parserOf(formats: readonly unknown[], values: object = {}) {
  const config = parserConfigSchema.parse({ formats, ...values });
  const { formatFor, problems } = await openFormats(config);
  expect(problems).toEqual([]);
  const separators = separatorsOf(config);
  const parse = createBatchParser({ formatFor, separators, maxLineBytes: config.maxLineBytes, now: () => 0 });
  return (content: string | Uint8Array, framing: Batch["framing"] = "items", index = "") => {
    const parsed = parse({ content: Buffer.from(content), framing, index, source: "test" });
    return {
      text: Buffer.from(parsed.content).toString("utf8"),
      counts: parsed.counts,
      failed: Object.fromEntries(parsed.counts.failedByReason),
      letters: parseNdjson(parsed.deadLetters.ndjson),
    };
  };
}

function readCase(name: string) {
  return JSON.parse(readFileSync(new URL(`../../../testdata/cases/${name}.json`, import.meta.url), "utf8"));
}

describe("recorded calls", () => {
  it.each(["p001_doc_two_records", "p002_doc_local_client_python", "p003_doc_local_client_java"])(
    "%s",
    async (name) => {
      const recorded = readCase(name);
      const parse = await parserOf([user, records], { separator: recorded.separator });
      expect(parse(recorded.request_content_utf8).text).toBe(
        recorded.expected_response_content_utf8.replaceAll(/(?<=[,:]) (?=")/g, ""),
      );
    },
  );

  it("p005: a bad line and a missing key are answered {}", async () => {
    const recorded = readCase("p005_doc_python_demo_and_bad_line");
    const parse = await parserOf([game], { separator: recorded.separator });
    const { text, failed, letters } = parse(recorded.request_content_utf8);
    expect(text.split(recorded.separator).map((item) => JSON.parse(item))).toEqual(recorded.expected_items);
    expect(failed).toEqual({ invalid_json: 1, missing_key: 1 });
    expect(letters).toMatchObject([
      {
        source: "test",
        index: "a.log",
        format: "game",
        reason: "invalid_json",
        line: "not json",
        time: "1970-01-01T00:00:00.000Z",
      },
      { reason: "missing_key", line: '{"ACCOUNTID":"x"}' },
    ]);
  });

  it("p006: an unparsable batch has as many items as it came with", async () => {
    const parse = await parserOf([game]);
    expect(parse(readCase("p006_length_mismatch").request_content_utf8).text).toBe("{}::{}");
  });

  it("p008: a line null is a bad line", async () => {
    const parse = await parserOf([heart]);
    expect(parse(readCase("p008_go_plugin_null_line").request_content_utf8)).toMatchObject({
      text: "{}",
      failed: { empty_line: 1 },
      letters: [{ index: "M0001_heart", line: "null" }],
    });
  });

  it("p009: an unknown index fails its own item only", async () => {
    const parse = await parserOf([heart]);
    const { text, failed, counts } = parse(
      readCase("p009_go_plugin_unknown_topic_error").request_content_utf8,
    );
    const [bad, good] = text.split("::").map((item) => JSON.parse(item));
    expect(bad).toEqual({});
    expect(good).toMatchObject({
      "#account_id": "7001",
      "#event_name": "heart",
      properties: { onlineuser: 120 },
    });
    expect(failed).toEqual({ no_format: 1 });
    expect(Object.fromEntries(counts.itemsByFormat)).toEqual({ heart: 1 });
  });

  it("p013: a separator in the data is joined back and escaped in the answer", async () => {
    const parse = await parserOf([{ ...plain, index: "a.log" }]);
    const { text, counts } = parse(readCase("p013_separator_in_data").request_content_utf8);
    expect(text.split("::").map((item) => JSON.parse(item))).toEqual([
      { properties: { ip: "2001:db8::1" } },
      { properties: { ip: "2001:db8::2" } },
    ]);
    expect(counts.collisions).toBe(2);
  });

  it("p014: the shipper's own configuration names the separator used here", () => {
    expect(readCase("p014_daemon_json_parser_block").datasource[1].parser.separator).toBe(":ta:");
  });

  it("p015: a line of columns with lists and objects, wrapped and bare", async () => {
    const { line, wrapped } = readCase("p015_java_interceptor_tlog");
    const columns = [
      "name",
      "time",
      "a",
      "b",
      { name: "list", type: "list", separator: "," },
      "ids",
      "object",
      "objects",
      "stamps",
    ];
    const tlog = {
      name: "tlog",
      index: "t.log",
      type: "delimited",
      separator: "|",
      columns,
      mapping: { "#event_name": "name" },
    };
    const parse = await parserOf([
      tlog,
      { ...tlog, name: "wrapped", index: "w.log", unwrap: { key: "log" } },
    ]);
    const { text, failed } = parse(`t.log|ta|${line}::w.log|ta|${wrapped}`);
    expect(failed).toEqual({});
    expect(text.split("::").map((item) => JSON.parse(item)["#event_name"])).toEqual([
      "ComplexTypeEvent",
      "ComplexTypeEvent",
    ]);
  });
});

describe("other framings", () => {
  it.each([
    ["lines", '{"a":1}\nx\n{"a":"b\\n"}\n', '{"properties":{"a":1}}\n{}\n{"properties":{"a":"b\\n"}}\n'],
    ["lines", '{"a":1}\r\n{"a":"::"}', '{"properties":{"a":1}}\n{"properties":{"a":"::"}}'],
    ["lines", "", ""],
    ["lines", "\n", "{}\n"],
    ["none", '{"a":\n"::"}\n', '{"properties":{"a":"::"}}'],
    ["none", "", "{}"],
  ] as const)("%s: %j", async (framing, content, answer) => {
    const parse = await parserOf([plain]);
    expect(parse(content, framing, "plain.log").text).toBe(answer);
  });

  it("several records of a line are joined by the record separator", async () => {
    const parse = await parserOf([{ ...plain, records: "list" }]);
    expect(parse('{"list":[{"a":1},{"a":2}]}\n{"list":[]}', "lines", "plain.log")).toMatchObject({
      text: '{"properties":{"a":1}}\u0001{"properties":{"a":2}}\n{}',
      failed: {},
      counts: { items: 2, records: 2 },
    });
  });

  it("without an index and a format for it, each line is refused", async () => {
    const parse = await parserOf([plain]);
    expect(parse("a\nb", "lines").failed).toEqual({ no_index: 2 });
  });
});

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

describe("the number of items", () => {
  const echo: Format = { name: "echo", parseLine: (line) => [JSON.stringify({ line }), line] };
  const separator = fc.constantFrom("::", ":ta:", "##", "战", "\u0002", "ab", "aba", "\n", " ");
  const piece = fc.string({
    unit: fc.constantFrom("a", "b", ":", "t", "#", "\0", "é", "战", " ", "\n", '"', "\\", "{", "}"),
  });

  it("is that of the request, as the caller counts, for any text", () => {
    fc.assert(
      fc.property(separator, fc.array(fc.tuple(piece, piece), { minLength: 1 }), (item, pairs) => {
        const content = pairs.map(([index, line]) => `${index}|=|${line}`).join(item);
        const sent = content.split(item).filter((part, at) => at === 0 || part.includes("|=|")).length;
        expect(answerOf(Buffer.from(content), item).split(item)).toHaveLength(sent);
      }),
    );
  });

  it("is that of the request for any bytes", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 });
    const head = Buffer.from("i|=|");
    fc.assert(
      fc.property(separator, fc.array(bytes, { minLength: 1 }), (item, lines) => {
        const content = Buffer.concat(
          lines.flatMap((line, at) => [Buffer.from(at === 0 ? "" : item), head, line]),
        );
        const latin = content.toString("latin1").split(Buffer.from(item).toString("latin1"));
        const sent = latin.filter((part, at) => at === 0 || part.includes("|=|")).length;
        expect(answerOf(content, item).split(item)).toHaveLength(sent);
      }),
    );
  });

  function answerOf(content: Uint8Array, item: string): string {
    const parse = createBatchParser({
      formatFor: () => echo,
      separators: { item, index: "|=|", record: "\u0001" },
      maxLineBytes: 1_000,
      now: () => 0,
    });
    return Buffer.from(parse({ content, framing: "items", index: "", source: "test" }).content).toString(
      "utf8",
    );
  }
});
