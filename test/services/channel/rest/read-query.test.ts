import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { BigNumber } from "../../../../base/json/exact-numbers.ts";
import { Relation } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import { TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { decode, taskOf } from "./task-json.ts";

describe("filters are read in the platform's words and in the names of the contract", () => {
  const same: [words: JsonValue, names: JsonValue][] = [
    [
      { columnName: "level", tableType: "user", comparator: "greater", ftv: ["3"] },
      {
        columnName: "level",
        tableType: "TABLE_TYPE_USER",
        comparator: "COMPARATOR_GREATER",
        ftv: ["3"],
      },
    ],
    [
      { columnName: "level", tableType: "user", comparator: "range", ftv: [3, 4.5] },
      { column_name: "level", table_type: 2, comparator: 7, ftv: ["3", "4.5"] },
    ],
    [
      { columnName: "vip", tableType: "user", comparator: "equal", ftv: [true], timeUnit: "" },
      { columnName: "vip", tableType: "TABLE_TYPE_USER", comparator: "COMPARATOR_EQUAL", ftv: ["true"] },
    ],
    [
      {
        filterType: "COMPOUND",
        relation: "or",
        filts: [{ columnName: "vips", tableType: "cluster", comparator: "belongToCluster" }],
      },
      {
        filterType: "FILTER_TYPE_COMPOUND",
        relation: "RELATION_OR",
        filts: [
          {
            columnName: "vips",
            tableType: "TABLE_TYPE_CLUSTER",
            comparator: "COMPARATOR_BELONG_TO_CLUSTER",
          },
        ],
      },
    ],
    [{ columnName: "a", columnDesc: null, comparator: null }, { columnName: "a" }],
  ];
  test.each(same)("%j", (words, names) => {
    expect(decode(taskOf(words))).toEqual(fromJson(TaskSchema, taskOf(names)));
    expect(decode(taskOf(names))).toEqual(fromJson(TaskSchema, taskOf(names)));
  });

  test("how they are joined", () => {
    const task = decode({ audience: { users: { filts: [], relation: "or" } } });
    expect(task.audience!.source.value).toMatchObject({ relation: Relation.OR });
  });
});

describe("the users of a number are named as in /open/event-user-list", () => {
  const analysis = {
    projectId: 1,
    sliceDate: "2026-01-05",
    eventIndex: 0,
    eventView: {
      recentDay: "1-7",
      timeParticleSize: "day",
      groupBy: [{ columnName: "brand", tableType: "event", propertyRangeType: "def" }],
    },
    events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
  };
  const groupsOf = (query: JsonValue): unknown => {
    const { source } = decode({ audience: { analysis: query } }).audience!;
    return (source.value as { sliceGroupVal: { value: unknown }[] }).sliceGroupVal.map(({ value }) => value);
  };

  test("in its words", () => {
    expect(decode({ audience: { analysis } }).audience!.source).toMatchObject({
      case: "analysis",
      value: { projectId: 1n, events: [{ eventName: "login" }] },
    });
  });

  test.each<[JsonValue[], unknown]>([
    [["A"], [{ case: "label", value: "A" }]],
    [[7], [{ case: "label", value: "7" }]],
    [[{ label: "(null)" }], [{ case: "label", value: "(null)" }]],
    [["(null)"], [{ case: "nullValue", value: NullValue.NULL_VALUE }]],
    [["\\(null)"], [{ case: "label", value: "(null)" }]],
    [["\\\\(null)", "\\n"], ["\\(null)", "\\n"].map((value) => ({ case: "label", value }))],
    [[null], [{ case: "nullValue", value: NullValue.NULL_VALUE }]],
    [["Overall"], [{ case: "label", value: "Overall" }]],
  ])("the group %j", (sliceGroupVal, groups) => {
    expect(groupsOf({ ...analysis, sliceGroupVal })).toEqual(groups);
  });

  test.each(["Overall", "总体"])("%s is the group of a result without groups", (label) => {
    const eventView = { recentDay: "1-7", timeParticleSize: "day" };
    expect(groupsOf({ ...analysis, eventView, sliceGroupVal: [label] })).toEqual([]);
  });
});

test.each([
  [{ audience: { users: { filts: [{ colunmName: "a" }] } } }, "audience.users.filts[0].colunmName"],
  [{ audience: { users: { fitls: [] } } }, "audience.users.fitls"],
  [{ shedule: {} }, "shedule"],
])("a member of %j is not known", (json, path) => {
  expect(() => decode(json)).toThrow(`${path}: is not a known member, the nearest is`);
});

test("a number that no double holds is no literal", () => {
  const big = new BigNumber("9007199254740993") as unknown as JsonValue;
  const filts = [{ columnName: "a", comparator: "equal", ftv: [big] }];
  expect(() => decode({ audience: { users: { filts } } })).toThrow(
    "audience.users.filts[0].ftv[0] is a number beyond 9007199254740991, write it as a text",
  );
});
