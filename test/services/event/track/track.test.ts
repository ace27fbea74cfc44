import type { JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  type AcceptedRecord,
  DropReason,
  RecordType,
  RefusalReason,
} from "../../../../gen/engage/event/v1/record_pb.ts";
import type { TrackRequestSchema } from "../../../../gen/engage/event/v1/track_pb.ts";
import { RecordsUnavailableError } from "../../../../store/records/records.ts";
import { nowMs, openCollector } from "../collector-server.ts";
import { clientOf, lines, project, record } from "./track-client.ts";

describe("Track", () => {
  it("takes typed records, in UTC unless they say otherwise", async () => {
    const server = await openCollector();
    const time = timestampFromMs(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
    const response = await clientOf(server).track({
      project: { case: "appid", value: "shanghai" },
      records: [
        { type: RecordType.TRACK, time, eventName: "buy", accountId: "a", properties: { price: 1.5 } },
        {
          type: RecordType.TRACK_UPDATE,
          time,
          eventName: "cost",
          distinctId: "d",
          eventId: "i",
          uuid: "u",
          ip: "203.0.113.1",
          appId: "app",
          properties: { "#zone_offset": 8 },
        },
        { type: RecordType.USER_ADD, accountId: "a", properties: { coins: 3 } },
      ],
    });
    expect([response.accepted, response.refused]).toEqual([3, 0]);
    expect(server.lines).toEqual([
      {
        p: 2,
        r: nowMs,
        b: [
          {
            "#type": "track",
            "#time": "2026-01-02 03:04:05.678",
            "#event_name": "buy",
            "#account_id": "a",
            properties: { price: 1.5, "#zone_offset": 0 },
          },
          {
            "#type": "track_update",
            "#time": "2026-01-02 11:04:05.678",
            "#event_name": "cost",
            "#distinct_id": "d",
            "#uuid": "u",
            "#ip": "203.0.113.1",
            "#app_id": "app",
            "#event_id": "i",
            properties: { "#zone_offset": 8 },
          },
          {
            "#type": "user_add",
            "#time": "2026-01-03 00:00:00.000",
            "#account_id": "a",
            properties: { coins: 3, "#zone_offset": 0 },
          },
        ],
      },
    ]);
  });

  it("answers for each record", async () => {
    const server = await openCollector();
    const { results } = await clientOf(server).track({
      project,
      jsonLines: Buffer.concat([
        lines(
          record,
          { ...record, "#event_name": "" },
          { ...record, "#os": "x", properties: { price: "y" } },
        ),
        Buffer.from("\n\r\n{\n[]\n"),
        Buffer.from('{"#type":"\xff"}', "latin1"),
      ]),
    });
    expect(results.map(({ outcome }) => outcome)).toMatchObject([
      { case: "accepted", value: { dropped: [] } },
      { case: "refused", value: { reason: RefusalReason.EVENT_NAME, field: "#event_name" } },
      {
        case: "accepted",
        value: {
          dropped: [
            { name: "#os", reason: DropReason.ROOT_KEY },
            { name: "price", reason: DropReason.TYPE },
          ],
        },
      },
      { case: "refused", value: { reason: RefusalReason.NOT_JSON, message: "record is not JSON" } },
      { case: "refused", value: { reason: RefusalReason.NOT_AN_OBJECT } },
      { case: "refused", value: { reason: RefusalReason.NOT_JSON, message: "record is not UTF-8" } },
    ]);
    expect(server.lines).toHaveLength(1);
    expect(server.letters.map(({ reason }) => reason)).toEqual([
      "event_name",
      "not_json",
      "not_an_object",
      "not_json",
    ]);
  });

  it("keeps lines as they came", async () => {
    const server = await openCollector();
    const exact = JSON.stringify(record).replace("1}", "12345678901234567890.0}");
    await clientOf(server).track({ project, jsonLines: Buffer.from(exact) });
    expect(server.texts).toEqual([`{"p":1,"r":${nowMs},"b":[${exact}]}`]);
  });

  it("knows the types of the store", async () => {
    const server = await openCollector();
    const price = { table: "event", name: "price", number: 1, type: "text" } as const;
    const own = { table: "event", name: "item.n", number: 2, type: "boolean" } as const;
    server.schema = {
      version: 1,
      events: new Map(),
      properties: new Map([price, own].map((property) => [`event:${property.name}`, property])),
    };
    const { results } = await clientOf(server).track({
      project,
      jsonLines: lines({ ...record, properties: { price: 1, item: { n: 5 } } }),
    });
    expect(results[0]?.outcome).toMatchObject({
      value: { dropped: [{ name: "item.n", reason: DropReason.TYPE }] },
    });
  });

  it("dry run: a verdict, and nothing kept", async () => {
    const server = await openCollector();
    const response = await clientOf(server).track({ project, jsonLines: lines(record, {}), dryRun: true });
    expect([response.accepted, response.refused]).toEqual([1, 1]);
    expect([server.lines, server.letters]).toEqual([[], []]);
  });

  it.each<[string, MessageInitShape<typeof TrackRequestSchema>, Code, string]>([
    ["no project", {}, Code.InvalidArgument, "project is missing, give project_id or appid"],
    [
      "an unknown project",
      { project: { case: "projectId", value: 7n } },
      Code.NotFound,
      "project_id 7 is not configured, see projects of the configuration",
    ],
    [
      "an unknown app id",
      { project: { case: "appid", value: "x" } },
      Code.NotFound,
      'appid "x" is not configured, see projects of the configuration',
    ],
    [
      "records twice",
      { project, records: [{}], jsonLines: lines(record) },
      Code.InvalidArgument,
      "records and json_lines are both given, one is valid",
    ],
    [
      "many records",
      { project, records: new Array(10_001).fill({}) },
      Code.InvalidArgument,
      "records has more than 10000 records",
    ],
    [
      "many lines",
      { project, jsonLines: Buffer.from("1\n".repeat(10_001)) },
      Code.InvalidArgument,
      "json_lines has more than 10000 records",
    ],
  ])("refuses %s", async (_name, request, code, rawMessage) => {
    const server = await openCollector();
    await expect(clientOf(server).track(request)).rejects.toMatchObject({ code, rawMessage });
  });

  it("refuses a record whose time can't be written", async () => {
    const server = await openCollector();
    const time = { seconds: 1_000_000_000_000n, nanos: 0 };
    const { results } = await clientOf(server).track({
      project,
      records: [{ type: RecordType.TRACK, time, eventName: "e", accountId: "a" }, {}],
    });
    expect(results.map(({ outcome }) => outcome)).toMatchObject([
      { value: { reason: RefusalReason.TIME_FORMAT } },
      { value: { reason: RefusalReason.TYPE } },
    ]);
  });

  it("names the types that a typed record may have, each of which is taken", async () => {
    const server = await openCollector();
    const headers = { "content-type": "application/json" };
    const post = async (records: readonly unknown[]): Promise<{ results: unknown[]; accepted?: number }> =>
      JSON.parse(
        (await server.post("/v1/events:track", JSON.stringify({ appid: "APP_ID", records }), headers)).text,
      );
    const { results } = await post([{ accountId: "a", eventName: "e" }]);
    const { refused } = results[0] as { refused: { field: string; message: string } };
    expect(refused).toMatchObject({
      field: "#type",
      message: expect.stringMatching(/^type is missing, valid are/),
    });
    const valid = refused.message.split("valid are ")[1]!.split(", ");
    expect(valid).toHaveLength(10);
    const taken = await post(valid.map((type) => ({ type, accountId: "a", eventName: "e", eventId: "i" })));
    expect(taken.accepted).toBe(10);
  });

  it("tells of a type that is not known, and of a time that no calendar has, in words of the contract", async () => {
    const server = await openCollector();
    const time = { seconds: 1_000_000_000_000n, nanos: 0 };
    const { results } = await clientOf(server).track({
      project,
      records: [
        { type: 99 as RecordType, accountId: "a" },
        { type: RecordType.USER_DEL, time, accountId: "a" },
      ],
    });
    expect(results.map(({ outcome }) => outcome.value)).toMatchObject([
      { message: expect.stringMatching(/^type 99 is not valid, valid are RECORD_TYPE_TRACK, /) },
      { message: "time of 1000000000000 seconds is not valid, valid is a time of the years 1 to 9999" },
    ]);
  });

  it.each<[string, Readonly<Record<string, JsonValue>>, readonly string[]]>([
    ["NaN", { p: Number.NaN, q: 1 }, ["p"]],
    ["infinite numbers", { p: Number.NEGATIVE_INFINITY, q: [Number.POSITIVE_INFINITY] }, ["p", "q"]],
    ["a number within an object that is none", { o: { m: Number.NaN } }, ["o.m"]],
    ["null beside NaN", { n: null, p: Number.NaN }, ["p"]],
  ])("drops %s of typed records, and says so", async (_name, properties, dropped) => {
    const server = await openCollector();
    const { results } = await clientOf(server).track({
      project,
      records: [{ type: RecordType.USER_SET, accountId: "a", properties }],
    });
    const { dropped: reported } = results[0]!.outcome.value as AcceptedRecord;
    expect(reported.map(({ name, reason }) => [name, reason])).toEqual(
      dropped.map((name) => [name, DropReason.RANGE]),
    );
  });

  it("drops whole numbers beyond 2^53 of numeric properties, with advice", async () => {
    const server = await openCollector();
    const role = { table: "event", name: "role_id", number: 1, type: "number" } as const;
    server.schema = { version: 1, events: new Map(), properties: new Map([["event:role_id", role]]) };
    const text = JSON.stringify(record).replace(
      '"price":1',
      '"role_id":9007199254740993,"new":9007199254740993',
    );
    const typed = { type: RecordType.TRACK, eventName: "e", accountId: "a" };
    const answers = [
      await clientOf(server).track({ project, jsonLines: Buffer.from(text) }),
      await clientOf(server).track({
        project,
        records: [{ ...typed, properties: { role_id: 2 ** 53, new: 2 ** 53 } }],
      }),
    ];
    expect(answers.flatMap(({ results }) => results.map(({ outcome }) => outcome))).toMatchObject([
      {
        value: {
          dropped: [
            {
              name: "role_id",
              reason: DropReason.NUMBER_RANGE,
              message:
                "role_id 9007199254740993 is beyond ±9007199254740991 and would be changed, send it as text",
            },
          ],
        },
      },
      { value: { dropped: [{ name: "role_id", reason: DropReason.NUMBER_RANGE }] } },
    ]);
  });

  it("is unavailable when nothing can be kept", async () => {
    const server = await openCollector();
    server.onDisk = () => Promise.reject(new RecordsUnavailableError("disk full"));
    const call = clientOf(server).track({ project, jsonLines: lines(record) });
    await expect(call).rejects.toMatchObject({ code: Code.Unavailable });
  });

  it("is served as REST", async () => {
    const server = await openCollector();
    const body = { appid: "APP_ID", records: [{ type: "RECORD_TYPE_USER_DEL", accountId: "a" }] };
    const headers = { "content-type": "application/json" };
    const { status, text } = await server.post("/v1/events:track", JSON.stringify(body), headers);
    expect([status, JSON.parse(text).accepted]).toEqual([200, 1]);
  });
});
