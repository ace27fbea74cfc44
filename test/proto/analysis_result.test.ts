import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  AnalyzeEventsResponseSchema,
  ListEventUsersResponseSchema,
} from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  AnswerInfoSchema,
  EventAnalysisSchema,
  GroupEntrySchema,
  MetricResultSchema,
  ResolvedRangeSchema,
  SeriesSchema,
  TimeBucketSchema,
} from "../../gen/engage/analysis/v1/result_pb.ts";
import { readCase } from "./cases.ts";

const overTheWire = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) =>
  fromBinary(schema, toBinary(schema, create(schema, init)));

describe("the REST form of a result (r001) is not proto3 JSON", () => {
  const { data } = readCase("r001_event_analyze_grouped.json") as { data: JsonObject };
  const table: [member: string, why: string, error: RegExp][] = [
    ["result_generate_time", "is a local time", /Timestamp/],
    ["x", "is a list of labels", /TimeBucket/],
    ["union_groups", "is a list of lists", /Group/],
    ["y", "is a list of one-key objects", /install\.TRIG_USER_NUM/],
  ];
  test.each(table)("%s %s", (member, _why, error) => {
    expect(() => fromJson(EventAnalysisSchema, { [member]: data[member]! })).toThrow(error);
  });

  test("its other members are, and no member is left", () => {
    const { union_group_num, ...rest } = data;
    expect(fromJson(EventAnalysisSchema, { union_group_num: union_group_num! }).unionGroupNum).toBe(3);
    expect(Object.keys(rest).sort()).toEqual(table.map(([member]) => member).sort());
  });

  test("an error answer (r002) is", () => {
    const answer = fromJson(AnalyzeEventsResponseSchema, readCase("r002_error_token_empty.json"));
    expect(answer).toMatchObject({ returnCode: -1008, returnMessage: "Parameter (token) is empty" });
  });
});

describe("the typed result", () => {
  const label = (text: string) => ({ value: { case: "label", value: text } }) as const;
  const nullGroup = { value: { case: "nullValue", value: NullValue.NULL_VALUE } } as const;

  test("holds all that r001 says", () => {
    const result = overTheWire(EventAnalysisSchema, {
      x: [{ label: "2026-08-23" }, { label: "2026-08-24" }],
      unionGroups: [{ groupCols: [label("1.0")] }, { groupCols: [label("1.1")] }, { groupCols: [nullGroup] }],
      unionGroupNum: 3,
      y: [
        {
          resultKey: "install.TRIG_USER_NUM",
          eventIndex: 0,
          groupNum: 3,
          entries: [
            { groupCols: [label("1.0")], values: { numbers: [120, 98] } },
            { groupCols: [label("1.1")], values: { numbers: [7, Number.NaN], missing: [1] } },
            { groupCols: [nullGroup], values: { numbers: [0, 1] } },
          ],
        },
      ],
    });
    expect(result.y[0]?.entries.map((entry) => entry.values?.numbers)).toEqual([
      [120, 98],
      [7, Number.NaN],
      [0, 1],
    ]);
    expect(result.unionGroups.map((group) => group.groupCols[0]?.value.case)).toEqual([
      "label",
      "label",
      "nullValue",
    ]);
  });

  test("tells the null group from a text that reads like it", () => {
    const entry = overTheWire(GroupEntrySchema, { groupCols: [nullGroup, label("(null)"), label("")] });
    expect(entry.groupCols.map((group) => group.value)).toEqual([
      { case: "nullValue", value: 0 },
      { case: "label", value: "(null)" },
      { case: "label", value: "" },
    ]);
  });

  test("tells no value from zero, in JSON too", () => {
    const series = create(SeriesSchema, { numbers: [0, Number.NaN, -0.5], missing: [1] });
    const json = toJson(SeriesSchema, series);
    expect(json).toEqual({ numbers: [0, "NaN", -0.5], missing: [1] });
    expect(fromJson(SeriesSchema, json)).toEqual(series);
  });

  test("a comparison without values differs from no comparison", () => {
    expect(overTheWire(GroupEntrySchema, { valuesCompared: {} }).valuesCompared).toBeDefined();
    expect(overTheWire(GroupEntrySchema, {}).valuesCompared).toBeUndefined();
  });
});

describe("JSON names", () => {
  const table: [schema: DescMessage, names: string][] = [
    [AnalyzeEventsResponseSchema, "return_code return_message data"],
    [ListEventUsersResponseSchema, "return_code return_message data"],
    [EventAnalysisSchema, "result_generate_time union_groups union_group_num x x_compared y info"],
    [
      MetricResultSchema,
      "result_key event_index event_uuid display_name split_value format group_num entries",
    ],
    [GroupEntrySchema, "group_cols values values_compared"],
    [AnswerInfoSchema, "range compared_range zone cached approximate truncated warnings"],
    [ResolvedRangeSchema, "start_time end_time start end"],
    [TimeBucketSchema, "label start end"],
  ];
  test.each(table)("%s", (schema, names) => {
    expect(schema.fields.map((field) => field.jsonName).join(" ")).toBe(names);
  });

  test("return_code 0 is written and columMeta is spelled as on the wire", () => {
    const answer = create(ListEventUsersResponseSchema, {
      returnCode: 0,
      data: { columMeta: { "#account_id": "Account ID" } },
    });
    expect(toJson(ListEventUsersResponseSchema, answer)).toEqual({
      return_code: 0,
      data: { columMeta: { "#account_id": "Account ID" } },
    });
  });
});
