import { create, type DescMessage, fromJson, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BigNumber } from "../../../../base/json/exact-numbers.ts";
import { decodeJson } from "../../../../gateway/rest/json-message.ts";
import { SubTableType, TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, FilterType, Relation, TimeUnit } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import { type Channel, ChannelSchema } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import {
  GetTaskResponseSchema,
  ListTasksResponseSchema,
  TestChannelRequestSchema,
} from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { type Task, TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { BadRequestSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import { createChannelCodecs } from "../../../../services/channel/rest/codecs.ts";

const codecs = createChannelCodecs(decodeJson);

function read({ typeName }: DescMessage, field: string, json: JsonValue): Message {
  return codecs.get(typeName)!.decode!({ raw: Buffer.of(), field, json: () => json }).message;
}

function decode(json: JsonValue): Task {
  return read(TaskSchema, "task", json) as Task;
}

function write(message: Message) {
  const response = { request: message, index: 0, attachment: undefined };
  return JSON.parse(codecs.get(message.$typeName)!.encode!(message, response) as string);
}

function encode(task: Task): { task: Record<string, JsonValue> } {
  return write(create(GetTaskResponseSchema, { task }));
}

const taskOf = (...filts: JsonValue[]): JsonValue => ({ audience: { users: { filts } } });

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

describe("what is wrong is said with field, value and what is valid", () => {
  const violationsOf = (json: JsonValue, read: (json: JsonValue) => unknown = decode): readonly string[] => {
    try {
      read(json);
      return [];
    } catch (error) {
      const [details] = (error as ConnectError).findDetails(BadRequestSchema);
      return details!.fieldViolations.map(({ field, description }) => `${field}: ${description}`);
    }
  };
  const place = "task.audience.users.filts[0]";
  test.each<[JsonValue, string[]]>([
    [
      { columnName: "a", tableType: "users" },
      [
        `${place}.table_type: ${place}.table_type is "users", valid are "event", "user", "cluster", "user_cluster"`,
      ],
    ],
    [
      { filts: [{ timeUnit: ["day"] }], ftv: [{}], columnName: 3 },
      [
        `${place}.column_name: ${place}.column_name is wrong: 3 is not a string`,
        `${place}.filts[0].time_unit: ${place}.filts[0].time_unit is a list, valid are "day", "hour", "minute"`,
        `${place}.ftv[0]: ${place}.ftv[0] is wrong: an object is not a string`,
      ],
    ],
    [
      { ftv: [9007199254740992] },
      [`${place}.ftv[0]: ${place}.ftv[0] is a number beyond 9007199254740991, write it as a text`],
    ],
  ])("%j", (filter, messages) => {
    expect(violationsOf(taskOf(filter)).toSorted()).toEqual(messages);
  });

  test("several audiences", () => {
    const audience = { push_ids: { pushIds: ["a"] }, users: {}, cohort: null };
    expect(violationsOf({ audience })).toEqual([
      "task.audience.source: task.audience.source is push_ids and users, valid is one of them",
    ]);
  });

  test.each<[JsonValue, string]>([
    [[], "task: a list is not an object"],
    ["x", 'task: "x" is not an object'],
    [{ audience: { users: 3 } }, "task.audience.users: 3 is not an object"],
    [{ audience: { users: { filts: {} } } }, "task.audience.users.filts: an object is not a list"],
  ])("the form %j", (json, message) => {
    expect(() => decode(json)).toThrow(ConnectError);
    expect(violationsOf(json)).toEqual([expect.stringContaining(message)]);
  });

  describe("settings of delivery have their own ranges, not those of an int32", () => {
    const readChannel = (json: JsonValue): Channel => read(ChannelSchema, "channel", json) as Channel;

    test.each<[JsonValue, string]>([
      [{ rateLimit: 1.5 }, "rate_limit is 1.5, valid are -1 for no limit, or 1 to 10000"],
      [{ batch_size: "many" }, 'batch_size is "many", valid are 1 to 500'],
      [{ timeoutSeconds: 1e10 }, "timeout_seconds is 10000000000, valid are 0 for none, or up to 3600"],
      [{ retries: true }, "retries is true, valid are 0 to 10"],
      [{ retryIntervalSeconds: [] }, "retry_interval_seconds is a list, valid are 0 to 600"],
      [{ strictValidation: 1 }, "strict_validation: 1 is not a bool, valid are true, false, 1, 0"],
    ])("%j", (delivery, message) => {
      expect(violationsOf({ delivery }, readChannel)).toEqual([
        expect.stringContaining(`channel.delivery.${message}`),
      ]);
    });

    test("and are read", () => {
      const { delivery } = readChannel({ delivery: { rateLimit: -1, batch_size: "7", retries: null } });
      expect(delivery).toMatchObject({ rateLimit: -1, batchSize: 7 });
      expect(readChannel({ delivery: null })).toEqual(create(ChannelSchema));
    });

    test("also in a test of a channel", () => {
      const readTest = (json: JsonValue): unknown => read(TestChannelRequestSchema, "*", json);
      expect(readTest({ pushId: "a", channel: { name: "b" } })).toMatchObject({ channel: { name: "b" } });
      expect(readTest({ pushId: "a" })).toMatchObject({ pushId: "a" });
      expect(violationsOf({ pushId: 1, channel: { delivery: { retries: 0.5 } } }, readTest)).toEqual([
        "channel.delivery.retries: channel.delivery.retries is 0.5, valid are 0 to 10",
        "push_id: push_id is wrong: 1 is not a string",
      ]);
    });
  });

  test.each<readonly [string, JsonValue, (list: JsonValue[]) => JsonValue]>([
    ["literals", 1e300, (ftv) => taskOf({ ftv })],
    ["filters", { comparator: "nope" }, (filts) => taskOf(...filts)],
    ["filters of groups", { comparator: "nope" }, (filts) => taskOf({ filts })],
  ])("very many wrong %s are told of by the first", (_name, bad, wrap) => {
    const found = violationsOf(wrap(new Array<JsonValue>(100_000).fill(bad)));
    expect(found).toHaveLength(50);
  });

  test("filters that are nested without end", () => {
    let filter: JsonValue = {};
    for (let i = 0; i < 5_000; i++) filter = { filts: [filter] };
    expect(violationsOf(taskOf(filter))).toEqual([expect.stringContaining("nested deeper than 100 levels")]);
  });
});

describe("answers", () => {
  test("are written in the words that are read", () => {
    const task = decode(
      taskOf({ columnName: "level", tableType: "user", comparator: "greater", ftv: ["3"] }),
    );
    const { audience, state } = encode(task).task;
    expect(audience).toMatchObject({
      users: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["3"] }] },
    });
    expect(JSON.stringify(audience)).not.toMatch(/[A-Z]+_UNSPECIFIED/);
    expect(state).toBe("TASK_STATE_UNSPECIFIED");
  });

  test("of lists too", () => {
    const task = decode(taskOf({ tableType: "user" }));
    const list = create(ListTasksResponseSchema, { tasks: [task, task] });
    const written = write(list);
    expect(written.tasks[1].audience.users.filts[0].tableType).toBe("user");
  });

  const anyOf = (type: object) =>
    fc.constantFrom(...Object.values(type).filter((value): value is number => typeof value === "number"));
  const leaf = fc.record({
    columnName: fc.string(),
    comparator: anyOf(Comparator),
    tableType: anyOf(TableType),
    subTableType: anyOf(SubTableType),
    timeUnit: anyOf(TimeUnit),
    ftv: fc.array(fc.string(), { maxLength: 3 }),
  });
  const filter = fc.oneof(
    leaf,
    fc.record({
      filterType: anyOf(FilterType),
      relation: anyOf(Relation),
      filts: fc.array(leaf, { maxLength: 3 }),
    }),
  );
  const group = fc.oneof(
    fc.string().map((label) => ({ value: { case: "label", value: label } })),
    fc.constant({ value: { case: "nullValue", value: NullValue.NULL_VALUE } }),
  );
  const source = fc.oneof(
    fc.record({
      case: fc.constant("users"),
      value: fc.record({ filts: fc.array(filter), relation: anyOf(Relation) }),
    }),
    fc.record({
      case: fc.constant("analysis"),
      value: fc.record({ projectId: fc.bigInt(1n, 9n), sliceGroupVal: fc.array(group, { minLength: 2 }) }),
    }),
  );

  test("are read as the task that was written", () => {
    fc.assert(
      fc.property(source, (value) => {
        const task = create(TaskSchema, { name: "a", audience: { source: value as never } });
        const plain = toJson(TaskSchema, task);
        expect(toJson(TaskSchema, decode(encode(task).task))).toEqual(plain);
      }),
    );
  });
});
