import { create, type JsonValue } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { type Channel, ChannelSchema } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { TestChannelRequestSchema } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { BadRequestSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import { decode, read, taskOf } from "./task-json.ts";

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
        `${place}.table_type: ${place}.table_type is "users", the nearest is "user", valid are "event", "user", "cluster", "user_cluster"`,
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
  ])("very many wrong %s are reported by the first", (_name, bad, wrap) => {
    const found = violationsOf(wrap(new Array<JsonValue>(100_000).fill(bad)));
    expect(found).toHaveLength(50);
  });

  test("filters that are nested without end", () => {
    let filter: JsonValue = {};
    for (let i = 0; i < 5_000; i++) filter = { filts: [filter] };
    expect(violationsOf(taskOf(filter))).toEqual([expect.stringContaining("nested deeper than 100 levels")]);
  });
});
