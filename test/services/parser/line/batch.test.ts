import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parserOf, plain, records } from "./batch-parser.ts";

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
