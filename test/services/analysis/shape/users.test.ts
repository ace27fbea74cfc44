import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { UserRowSchema } from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { MetricType } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import {
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { EventsUnavailableError, type StoredUser } from "../../../../store/events/events.ts";
import { collectUsers } from "../../../conformance/events/collect-users.ts";
import { projectOf } from "../describe/described.ts";
import { call, collect, engineOn, queryOf } from "./answers.ts";
import { slice, user, view } from "./listed-users.ts";

async function listUsers(users: readonly (readonly StoredUser[])[], project = projectOf()) {
  const { engine, userScans } = engineOn({ users }, project);
  const { message } = await engine.listUsers(queryOf(EventUserQuerySchema, { view, body: slice }), call());
  const { data } = message;
  return { data: data!, userScans };
}

it("asks the store for the slice, with all properties", async () => {
  const { userScans } = await listUsers([]);
  expect(userScans).toMatchObject([{ group: ["a"], scan: { measures: [{ events: [1] }] } }]);
  expect(userScans[0]!.properties).toBeUndefined();
});

it("lists users with their ids and properties", async () => {
  const properties = {
    level: 3,
    city: "上海",
    huge: 2 ** 60,
    paid: true,
    tags: ["a", "b"],
    wallet: { coins: 2 ** 53, open: null },
  };
  const { data } = await listUsers([[user(1, properties)], [user(2n ** 60n)]]);
  expect(data.datalist).toMatchObject([
    {
      userId: "1",
      accountId: "acc-1",
      properties: {
        ...properties,
        huge: "1152921504606846976",
        wallet: { coins: "9007199254740992", open: null },
      },
    },
    { userId: "1152921504606846976", accountId: "acc-1152921504606846976", properties: {} },
  ]);
  expect(data.datalist[0]!.distinctId).toBeUndefined();
});

it("names all members, as the project does", async () => {
  const { data } = await listUsers(
    [],
    projectOf({ displayNames: { level: "等级", "#account_id": "Account" } }),
  );
  expect(data.columMeta).toEqual({
    "#user_id": "#user_id",
    "#account_id": "Account",
    "#distinct_id": "#distinct_id",
    level: "等级",
    birthday: "birthday",
    city: "city",
  });
});

it.each([
  [10_000, 10_000, []],
  [10_001, 10_000, ["only the first 10000 users are listed; a download has all"]],
])("of %d users lists %d", async (count, listed, warnings) => {
  const all = Array.from({ length: count }, (_, i) => user(i + 1));
  const { data } = await listUsers([all.slice(0, 6_000), all.slice(6_000)]);
  expect([data.datalist.length, data.info!.warnings.map(({ message }) => message)]).toEqual([
    listed,
    warnings,
  ]);
  expect(data.info!.truncated).toBe(warnings.length > 0);
});

it("has no users for a metric of numbers only", async () => {
  const { engine, userScans } = engineOn({ users: [[user(1)]] });
  const events = [{ type: "customized", eventName: "one", customEvent: "1" }];
  const query = queryOf(EventUserQuerySchema, { events, body: { sliceGroupVal: [], eventIndex: 0 } });
  const { data } = (await engine.listUsers(query, call())).message;
  expect([data!.datalist, userScans]).toEqual([[], []]);
});

it("refuses all that is wrong with a query", async () => {
  const body = { sliceGroupVal: ["a"], eventIndex: 3, timeoutSeconds: 0, zoneOffset: 25 };
  const { engine } = engineOn({});
  await expect(engine.listUsers(queryOf(EventUserQuerySchema, { view, body }), call())).rejects.toMatchObject(
    {
      violations: [{ field: "zoneOffset" }, { field: "eventIndex" }, { field: "timeoutSeconds" }],
    },
  );
});

const fault = (field: string, description: string) => ({
  field,
  description: expect.stringContaining(description),
});

it.each<[string, object, object, readonly object[]]>([
  [
    "a slice that the axes don't have",
    {},
    { ...slice, sliceDate: "20 September", sliceGroupVal: [], zoneOffset: 25 },
    [
      fault("zoneOffset", "25 must be"),
      fault("sliceDate", '"20 September" must be a label of the x axis'),
      fault("sliceGroupVal", 'must have 1 label, for "brand", not 0'),
    ],
  ],
  [
    "a label of intervals that depend on the data",
    { groupBy: [{ columnName: "price", tableType: "event", propertyRangeType: "def" }] },
    { ...slice, sliceGroupVal: ["[0,10)"], eventIndex: 7 },
    [fault("eventIndex", "7 must be the index of a metric")],
  ],
  [
    "all of a condition",
    { filts: [{ columnName: "tags", tableType: "event", comparator: "range", ftv: [1] }] },
    slice,
    [
      fault("eventView.filts[0].ftv", "must have 2 literals with range, not 1"),
      fault("eventView.filts[0].comparator", '"range" does not apply to a list column'),
    ],
  ],
  ["no events", {}, { ...slice, events: [] }, [fault("events", "must have at least one metric")]],
])("tells %s in one go, without asking the store", async (_what, more, body, expected) => {
  const { engine, userScans } = engineOn({});
  const query = queryOf(EventUserQuerySchema, { view: { ...view, ...more }, body });
  expect(await engine.faultsOf!(query, call().signal)).toEqual(expected);
  expect(userScans).toEqual([]);
});

it("tells what is wrong with the metrics of a query without a view", async () => {
  const query = create(EventQuerySchema, { projectId: 1n, events: [{ type: MetricType.NORMAL }] });
  const faults = await engineOn({}).engine.faultsOf!(query, call().signal);
  expect(faults.map(({ field }) => field)).toEqual([
    "eventView",
    "events[0].eventName",
    "events[0].analysis",
  ]);
});

it("does not report an unavailable store as a fault of a query", async () => {
  const filt = { columnName: "whales", tableType: "cluster", comparator: "belongToCluster" };
  const query = queryOf(EventQuerySchema, { view: { recentDay: "x", filts: [filt] } });
  const { engine, store } = engineOn({});
  store.cohorts = () => Promise.reject(new EventsUnavailableError("away"));
  expect(await engine.faultsOf!(query, call().signal)).toEqual([]);
});

it("downloads chosen columns", async () => {
  const selectedColumns = [
    "#account_id",
    "Level",
    "#user_id",
    "#distinct_id",
    "tags",
    "wallet",
    "paid",
    "gone",
    "constructor",
  ];
  const properties = { level: 3, tags: ["a"], wallet: { coins: 2 }, paid: false };
  const project = projectOf({ displayNames: { level: "等级" } });
  const { engine, userScans } = engineOn({ users: [[user(1, properties), user(2)], [user(3)]] }, project);
  const query = queryOf(EventUserDownloadQuerySchema, { view, body: { ...slice, selectedColumns } });
  const [header, ...rows] = (await collect(engine.downloadUsers(query, call()))).map(
    ({ content }) => content,
  );
  expect(header).toMatchObject({
    case: "header",
    value: {
      columns: selectedColumns.map((name) => ({ name, displayName: name === "Level" ? "等级" : name })),
      info: {
        warnings: [
          { field: "selectedColumns[4]" },
          {},
          {},
          { field: "selectedColumns[7]" },
          { field: "selectedColumns[8]" },
        ],
      },
    },
  });
  const values = rows.map(
    (piece) => piece.case === "rows" && piece.value.rows.map((row) => toJson(UserRowSchema, row)),
  );
  expect(values).toEqual([
    [
      { values: ["acc-1", 3, "1", null, ["a"], { coins: 2 }, false, null, null] },
      { values: ["acc-2", null, "2", null, null, null, null, null, null] },
    ],
    [{ values: ["acc-3", null, "3", null, null, null, null, null, null] }],
  ]);
  expect(userScans[0]!.properties!.map(({ name }) => name)).toEqual(["level"]);
});

it("finds the users of a download as they are stored, with its columns", async () => {
  const { engine, userScans } = engineOn({ users: [[user(1, { level: 3 }), user(2)], [user(3)]] });
  const body = { ...slice, selectedColumns: ["#account_id", "Level", "gone"] };
  const query = queryOf(EventUserDownloadQuerySchema, { view, body });
  expect(await collectUsers(engine.findUsers(query, call()))).toEqual([
    user(1, { level: 3 }),
    user(2),
    user(3),
  ]);
  await collect(engine.downloadUsers(query, call()));
  expect(userScans[0]).toEqual(userScans[1]);
  expect(userScans[0]).toMatchObject({ ids: ["account_id"], properties: [{ name: "level" }] });
});

it("reads the event's date where the slice has none", async () => {
  const { engine, userScans } = engineOn({});
  const body = { sliceGroupVal: ["a"], eventIndex: 0, eventDate: "2026-08-20", selectedColumns: ["level"] };
  await collect(engine.downloadUsers(queryOf(EventUserDownloadQuerySchema, { view, body }), call()));
  expect(userScans[0]!.scan.buckets).toMatchObject({
    startMs: Date.UTC(2026, 7, 20),
    endMs: Date.UTC(2026, 7, 21),
  });
});

describe("a date out of the range", () => {
  const outside = { ...slice, sliceDate: "2021-12-27", selectedColumns: ["level"] };
  const warnings = [{ field: "sliceDate", message: expect.stringContaining("is not on the x axis") }];
  const download = queryOf(EventUserDownloadQuerySchema, { view, body: outside });

  it("has no users in a list", async () => {
    const { engine, userScans } = engineOn({ users: [[user(1)]] });
    const asked = queryOf(EventUserQuerySchema, { view, body: outside });
    const { data } = (await engine.listUsers(asked, call())).message;
    expect([data!.datalist, userScans]).toEqual([[], []]);
    expect(data!.info).toMatchObject({ warnings: [{ field: "selectedColumns" }, ...warnings] });
  });

  it("has a header alone in a download", async () => {
    const { engine } = engineOn({ users: [[user(1)]] });
    const pieces = await collect(engine.downloadUsers(download, call()));
    expect(pieces).toMatchObject([{ content: { case: "header", value: { info: { warnings } } } }]);
  });

  it.each(["downloadUsers", "findUsers"] as const)("is refused of an audience by %s", async (find) => {
    const { engine } = engineOn({ users: [[user(1)]] });
    const asked: AsyncIterable<unknown> = engine[find](download, { ...call(), refusesUndeclared: true });
    const next = asked[Symbol.asyncIterator]().next();
    await expect(next).rejects.toThrow('sliceDate: "2021-12-27" must be a label of the x axis');
  });
});
