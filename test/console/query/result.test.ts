import { create } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { readJsonTree } from "../../../console/src/controls/json-tree.ts";
import { readMessage } from "../../../console/src/filters/read-message.ts";
import { asCode, asCommand, asCurl, quoteForShell } from "../../../console/src/pages/query/result/copies.ts";
import { csvOfTable, writeCsv } from "../../../console/src/pages/query/result/csv.ts";
import { partOf } from "../../../console/src/pages/query/result/parts.ts";
import { formatOptions, labelsOf, nameOfRow, tableOf } from "../../../console/src/results/series.ts";
import {
  groupsFileQuery,
  pinRanges,
  usersFileQuery,
  usersQuery,
} from "../../../console/src/results/snapshot.ts";
import { ValueFormat } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { EventQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import { EventAnalysisSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";

const label = (text: string) => ({ value: { case: "label" as const, value: text } });
const nothing = { value: { case: "nullValue" as const, value: NullValue.NULL_VALUE } };

const result = create(EventAnalysisSchema, {
  x: [{ label: "2026-03-01" }, { label: "2026-03-02" }],
  xCompared: [{ label: "2026-02-01" }, { label: "2026-02-02" }, { label: "2026-02-03" }],
  y: [
    {
      resultKey: "pay.price.SUM",
      displayName: "Revenue",
      eventIndex: 0,
      splitValue: label("A"),
      entries: [
        {
          groupCols: [label("=1+1"), nothing],
          values: { numbers: [1.005, Number.NaN], missing: [1] },
          valuesCompared: { numbers: [-3, 4, 5] },
        },
      ],
    },
    { resultKey: "login.TOTAL_TIMES", eventIndex: 1, entries: [{ values: { numbers: [7, 8] } }] },
  ],
  info: {
    range: { startTime: "2026-03-01 00:00:00", endTime: "2026-03-02 23:59:59" },
    comparedRange: { startTime: "2026-02-01 00:00:00", endTime: "2026-02-03 23:59:59" },
  },
});
const table = tableOf(result, ["city", "channel"]);
const words = { noValue: "none", compared: "before" };

describe("a result as a table", () => {
  test("has a row for each metric and group, followed by that of the comparison", () => {
    expect(table.rows.map((row) => nameOfRow(row, words))).toEqual([
      "Revenue · =1+1 · none · A",
      "Revenue · =1+1 · none · A · before",
      "login.TOTAL_TIMES",
    ]);
    expect(table.rows.map(({ values }) => values)).toEqual([
      [1.005, undefined],
      [-3, 4, 5],
      [7, 8],
    ]);
  });

  test("compares with days of their own", () => {
    expect(labelsOf(table, table.rows[0]!)).toEqual(["2026-03-01", "2026-03-02"]);
    expect(labelsOf(table, table.rows[1]!)).toEqual(["2026-02-01", "2026-02-02", "2026-02-03"]);
  });

  test("is written as CSV: exact numbers, both ranges, and no formulas", () => {
    const csv = csvOfTable(table, { ...words, metric: "Metric", split: "Split" });
    expect(csv.endsWith("\r\n")).toBe(true);
    expect(parse(csv, { relax_column_count: true })).toEqual([
      [
        "Metric",
        "city",
        "channel",
        "Split",
        "2026-03-01",
        "2026-03-02",
        "2026-02-01 (before)",
        "2026-02-02 (before)",
        "2026-02-03 (before)",
      ],
      ["Revenue", "'=1+1", "none", "A", "1.005", "", "-3", "4", "5"],
      ["login.TOTAL_TIMES", "", "7", "8"],
    ]);
  });
});

test.each([
  ['a"b,c\nd', '"a""b,c\nd"'],
  ["=SUM(A1)", '"\'=SUM(A1)"'],
  ["@x", '"\'@x"'],
  ["＝x", '"\'＝x"'],
  ["\tx", '"\'\tx"'],
  ["-5", '"-5"'],
  ["+3.5%", '"+3.5%"'],
  ["-", '"-"'],
  ["-x", '"\'-x"'],
  [-5, '"-5"'],
  [undefined, '""'],
])("a cell %j is written as %s", (cell, written) => expect(writeCsv([[cell]])).toBe(`${written}\r\n`));

test.each([
  [ValueFormat.UNSPECIFIED, 1.2345, "1.23"],
  [ValueFormat.INTEGER, 1.6, "2"],
  [ValueFormat.FLOAT, 1, "1.00"],
  [ValueFormat.FLOAT3, 1, "1.000"],
  [ValueFormat.FLOAT4, 1, "1.0000"],
  [ValueFormat.PERCENT, 0.1234, "12.34%"],
])("format %s writes %s as %s", (format, value, text) => {
  expect(new Intl.NumberFormat("en", formatOptions(format)).format(value)).toBe(text);
});

const json =
  '{"projectId":9007199254740993,"eventView":{"recentDay":"1-7","timeParticleSize":"day","filts":[{"columnName":"o\'x","comparator":"equal","tableType":"event","ftv":["a"]}]},"events":[{"type":"normal","eventName":"login","analysis":"TOTAL_TIMES"}],"timeoutSeconds":9,"zoneOffset":2}';
const { message } = readMessage(EventQuerySchema, readJsonTree(json)!);

describe("users behind a point", () => {
  const pinned = pinRanges(message, result.info);

  test("are those of the days of the result, on any later day", () => {
    expect(pinned.eventView).toMatchObject({
      recentDay: "",
      startTime: "2026-03-01 00:00:00",
      endTime: "2026-03-02 23:59:59",
      comparedStartTime: "2026-02-01 00:00:00",
    });
    expect(pinRanges(message, undefined)).toBe(message);
  });

  test("are of its metric, bucket, group and split", () => {
    const [row] = table.rows;
    const query = usersQuery(pinned, { row: row!, bucket: "2026-03-02", value: 1 });
    expect(query).toMatchObject({
      projectId: 9007199254740993n,
      sliceDate: "2026-03-02",
      eventIndex: 0,
      timeoutSeconds: 9,
      zoneOffset: 2,
    });
    expect(query.sliceGroupVal.map(({ value }) => value.value)).toEqual(["=1+1", NullValue.NULL_VALUE, "A"]);
    const file = usersFileQuery(pinned, { row: row!, bucket: "2026-03-02", value: 1 }, ["#user_id"]);
    expect(file).toMatchObject({ sliceDate: "2026-03-02", selectedColumns: ["#user_id"] });
    expect(groupsFileQuery(pinned)).toMatchObject({ projectId: 9007199254740993n, zoneOffset: 2 });
  });

  test("of a whole range need no bucket, and of the compared range have its label", () => {
    const total = readMessage(EventQuerySchema, readJsonTree(json.replace('"day"', '"total"'))!).message;
    const [own, compared] = table.rows;
    expect(usersQuery(total, { row: own!, bucket: "a~b", value: 1 }).sliceDate).toBe("");
    expect(usersQuery(total, { row: compared!, bucket: "c~d", value: 1 }).sliceDate).toBe("c~d");
  });
});

test.each([
  [0, [0, 1, 2]],
  [3, [3, 4, 5]],
  [6, [6]],
  [9, [6]],
])("a part of seven from %s has %j, and one beyond the end is the last", (first, part) => {
  expect(partOf([0, 1, 2, 3, 4, 5, 6], first, 3)).toEqual(part);
  expect(partOf([], first, 3)).toEqual([]);
});

test("texts are quoted for shells", () => expect(quoteForShell("it's $x")).toBe(`'it'\\''s $x'`));

test("copies have the query as it is", () => {
  for (const copy of [asCurl("http://h:1", json), asCommand("http://h:1", json)]) {
    expect(copy.replaceAll(`'\\''`, "'")).toContain(json);
  }
  const code = asCode("http://h:1", EventQuerySchema, message);
  expect(code).toContain("projectId: 9007199254740993n");
  expect(code).toContain(
    'import { Aggregation, MetricType } from "engage-server/gen/engage/analysis/v1/event_metric_pb.js";',
  );
  expect(code).toContain("analysis: Aggregation.TOTAL_TIMES");
});
