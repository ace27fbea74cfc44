import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { failure, openFormat, openRaw } from "./open-format.ts";

interface Case {
  readonly separator: string;
  readonly index_separator: string;
  readonly request_content_utf8: string;
  readonly expected_response_content_utf8: string;
  readonly expected_items: readonly unknown[];
  readonly template: { readonly template: string; readonly int_fields: readonly string[] };
  readonly line: string;
  readonly wrapped: string;
}

function read(name: string): Case {
  const file = new URL(`../../../testdata/cases/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Case;
}

/** The lines of a request, as the framing hands them on. */
function linesOf({ request_content_utf8: content, separator, index_separator }: Case): string[] {
  return content
    .split(separator)
    .map((item) => item.slice(item.indexOf(index_separator) + index_separator.length));
}

test("p001: the manual's two records are renamed, and have no properties", async () => {
  const given = read("p001_doc_two_records");
  const parse = await openFormat({
    type: "json",
    mapping: { "#account_id": "user_id", "#distinct_id": "distinct_id" },
  });
  const expected = given.expected_response_content_utf8
    .split("::")
    .map((item) => JSON.parse(item) as unknown);
  expect(linesOf(given).map((line) => parse(line))).toEqual(expected.map((record) => [record]));
});

test.each(["p002_doc_local_client_python", "p003_doc_local_client_java"])(
  "%s: a record in the standard form passes through byte for byte",
  async (name) => {
    const given = read(name);
    const parse = await openRaw({ type: "pass_through" });
    expect(linesOf(given).map((line) => parse(line))).toEqual([[given.expected_response_content_utf8]]);
  },
);

test("p005: a good line, one that is no JSON and one that lacks a key", async () => {
  const given = read("p005_doc_python_demo_and_bad_line");
  const parse = await openFormat({
    type: "json",
    required: ["ACCOUNTID", "CODE"],
    rest: "all",
    mapping: {
      "#account_id": "ACCOUNTID",
      "#distinct_id": "OSTYPE",
      "#type": { value: "track" },
      "#ip": "IP",
      "#uuid": "UID",
      "#time": "LOGTM",
      "#event_name": "event_{CODE}",
    },
  });
  const [good, broken, short] = linesOf(given).map((line) => parse(line));
  expect(good).toEqual([given.expected_items[0]]);
  expect(broken).toMatchObject(failure("invalid_json"));
  expect(short).toMatchObject({ ...failure("missing_key"), message: "CODE is missing" });
});

async function openHeartbeats() {
  const { template, int_fields } = read("p009_go_plugin_unknown_topic_error").template;
  return openFormat({
    type: "delimited",
    separator: "\u0001",
    columns: template
      .split("\u0001")
      .map((name) => ({ name, type: int_fields.includes(name) ? "number" : "text" })),
    nulls: ["null"],
    rest: "drop",
    mapping: {
      "#account_id": "serverid",
      "#time": { from: "servertime", type: "time", format: "yyyy-MM-dd HH:mm:ss", zone: "+08:00" },
      "#event_name": "modelname",
      onlineuser: "onlineuser",
      paidui: "paidui",
    },
  });
}

const heartbeat = {
  "#account_id": "7001",
  "#time": "2023-02-08 12:16:08.000",
  "#event_name": "heart",
  properties: { onlineuser: 120, paidui: 0, "#zone_offset": 8 },
};

test("p009: the separator may be the record separator; a wrong number of columns is reported", async () => {
  const parse = await openHeartbeats();
  const [broken, good] = linesOf(read("p009_go_plugin_unknown_topic_error"));
  expect(parse(good!)).toEqual([heartbeat]);
  expect(parse(broken!)).toMatchObject({ ...failure("column_count"), message: "want 9 columns, got 2" });
});

test("p008: a line null is bad, a column null leaves its property out", async () => {
  const parse = await openHeartbeats();
  const [nothing] = linesOf(read("p008_go_plugin_null_line"));
  const good = linesOf(read("p009_go_plugin_unknown_topic_error"))[1]!;
  expect(parse(nothing!)).toMatchObject(failure("empty_line"));
  expect(parse(good.replace("\u0001120\u0001", "\u0001null\u0001"))).toEqual([
    { ...heartbeat, properties: { paidui: 0, "#zone_offset": 8 } },
  ]);
});

const flow = {
  type: "delimited",
  separator: ["|", "｜"],
  outputZone: "Asia/Shanghai",
  columns: [
    "event",
    { name: "at", type: "time", format: "yyyy-MM-dd HH:mm:ss" },
    { name: "rate", type: "number" },
    { name: "share", type: "number" },
    { name: "letters", type: "list", separator: ",", quotes: "double" },
    { name: "numbers", type: "list", separator: ",", items: "number" },
    { name: "object", type: "object" },
    { name: "objects", type: "list" },
    { name: "seconds", type: "time", format: "unix" },
    { name: "milliseconds", type: "time", format: "unix_ms" },
  ],
  mapping: { "#event_name": "event", "#time": "at" },
};

const flowProperties = {
  rate: 0.5,
  share: 0.888,
  numbers: [1, 2, 3],
  object: { key: "value" },
  seconds: "2022-08-15 12:21:06.000",
  milliseconds: "2022-08-15 12:21:06.179",
};

test("p015: columns of numbers, lists, objects and times", async () => {
  const parse = await openFormat(flow);
  const letters = ["abc", "def", "gh"];
  const objects = [
    { key1: "value1", key2: "value2" },
    { key1: "value3", key2: "value4" },
  ];
  expect(parse(read("p015_java_interceptor_tlog").line)).toEqual([
    {
      "#event_name": "ComplexTypeEvent",
      "#time": "2022-08-05 06:31:38.000",
      properties: { ...flowProperties, letters, objects },
    },
  ]);
});

test("p015: the same inside a container log whose quotes are not escaped", async () => {
  const parse = await openFormat({ ...flow, unwrap: { key: "log" } });
  expect(parse(read("p015_java_interceptor_tlog").wrapped)).toEqual([
    {
      "#event_name": "ComplexTypeEvent",
      "#time": "2022-08-05 06:31:38.000",
      properties: { ...flowProperties, letters: ["a", "b", "c"], objects: [{ key1: "value1" }] },
    },
  ]);
});
