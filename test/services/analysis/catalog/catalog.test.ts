import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ProjectEngine,
  PropertyKind,
  PropertyTable,
  PropertyType,
} from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { buy, eventOf, login, properties } from "../../../conformance/events/world.ts";
import { type CatalogServer, keys, openCatalogServer } from "./catalog-server.ts";

const declared = {
  displayNames: { price: "Price", "#city": "City" },
  virtualProperties: {
    double: { expression: "price * 2" },
    who: { table: "user", first: ["nick"] },
    big: {
      cases: [
        {
          value: "yes",
          filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: [5] }],
        },
      ],
    },
  },
  dimensions: [
    {
      property: "#city",
      rows: [
        { "#city": "Bern", country: "CH" },
        { "#city": "Oslo", country: "NO" },
      ],
    },
  ],
  metrics: { logins: { type: "normal", eventName: "Login", analysis: "TOTAL_TIMES" } },
};

let server: CatalogServer;
beforeAll(async () => {
  server = await openCatalogServer(declared);
});
afterAll(() => server[Symbol.asyncDispose]());

const project = { projectId: 1n };

describe.each(["grpc", "connect"] as const)("over %s", (protocol) => {
  it("lists projects by id", async () => {
    expect(await server.client(protocol).listProjects({})).toMatchObject({
      projects: [
        { projectId: 1n, engine: ProjectEngine.EMBEDDED, zone: "+00:00" },
        { projectId: 2n, engine: ProjectEngine.PLATFORM, zone: "" },
      ],
    });
  });

  it("lists events with their numbers, days and properties", async () => {
    const client = server.client(protocol);
    const { events } = await client.listEvents({ ...project, withProperties: true });
    expect(events).toMatchObject([
      {
        name: login.name,
        count: 2n,
        firstDay: "2026-01-06",
        lastDay: "2026-01-07",
        propertyCount: 1,
        properties: [{ name: "#city", type: PropertyType.TEXT, count: 1n, displayName: "City" }],
      },
      { name: buy.name, count: 5n, firstDay: "2026-01-05", lastDay: "2026-01-07", propertyCount: 8 },
    ]);
    expect(await client.getEvent({ ...project, event: buy.name })).toEqual(
      expect.objectContaining({ event: events[1] }),
    );
  });

  it("lists values with their parts", async () => {
    const found = await server.client(protocol).listPropertyValues({ ...project, property: "#City" });
    expect(found).toMatchObject({
      values: [
        { value: "Bern", count: 3n, share: 0.6 },
        { value: "Oslo", count: 2n, share: 0.4 },
      ],
      count: 7n,
      withValue: 5n,
      type: PropertyType.TEXT,
      nextPageToken: "",
    });
  });
});

describe("over REST", () => {
  it("lists projects of the token", async () => {
    expect(await server.get("")).toEqual({
      status: 200,
      body: { projects: [{ projectId: "1", engine: "PROJECT_ENGINE_EMBEDDED", zone: "+00:00" }] },
    });
  });

  it("lists events, and one with its properties", async () => {
    const { body } = await server.get("/1/events?order=EVENT_ORDER_COUNT&pageSize=1", {
      "x-api-key": keys.all,
    });
    expect(body).toMatchObject({ events: [{ name: "buy", count: "5", propertyCount: 8 }] });
    expect(await server.get("/1/events/Login?token=token-one", {})).toMatchObject({
      status: 200,
      body: { event: { name: "Login", properties: [{ name: "#city", type: "PROPERTY_TYPE_TEXT" }] } },
    });
  });

  it("lists values of a name that is escaped in the path", async () => {
    expect(await server.get("/1/properties/%23city/values?event=Login")).toMatchObject({
      status: 200,
      body: { values: [{ value: "Oslo", count: "1", share: 1 }], count: "2", withValue: "1" },
    });
    expect(await server.get("/1/properties/%23city@country/values")).toMatchObject({
      body: { values: [{ value: "CH", count: "3" }, { value: "NO" }] },
    });
  });

  it("lists properties, dimensions and metrics", async () => {
    expect(await server.get("/1/properties?prefix=p")).toMatchObject({
      body: {
        properties: [{ name: "price", kind: "PROPERTY_KIND_CUSTOM", displayName: "Price", count: "4" }],
      },
    });
    expect(await server.get("/1/dimensions")).toMatchObject({
      body: { columns: [{ name: "#city@country", property: "#city", column: "country", valueCount: 2 }] },
    });
    expect(await server.get("/1/metrics")).toMatchObject({
      body: {
        metrics: [{ name: "logins", metric: { eventName: "Login", analysis: "AGGREGATION_TOTAL_TIMES" } }],
      },
    });
  });

  it("never logs the token", () => {
    expect(server.logged()).not.toContain("token-one");
  });
});

describe("columns", () => {
  const namesOf = async (more: object) => {
    const client = server.client("grpc");
    return (await client.listProperties({ ...project, pageSize: 1_000, ...more })).properties.map(
      ({ name }) => name,
    );
  };

  it("of events are those of queries, by name", async () => {
    const { properties: found } = await server.client("grpc").listProperties({ ...project, pageSize: 1_000 });
    const byName = Object.fromEntries(found.map((one) => [one.name, one]));
    expect(found.map(({ name }) => name)).toEqual(Object.keys(byName).sort());
    expect(byName["price"]).toMatchObject({
      table: PropertyTable.EVENT,
      kind: PropertyKind.CUSTOM,
      type: PropertyType.NUMBER,
      count: 4n,
      eventCount: 1,
      events: [buy.name],
    });
    expect(byName["items.name"]).toMatchObject({ group: "items", type: PropertyType.TEXT, count: 1n });
    expect(byName["#event_time"]).toMatchObject({
      kind: PropertyKind.PRESET,
      type: PropertyType.TIME,
      count: 7n,
      events: [buy.name, login.name],
    });
    expect(byName["#vp@double"]).toMatchObject({
      eventCount: 0,
      kind: PropertyKind.VIRTUAL,
      type: PropertyType.NUMBER,
    });
    expect(byName["#vp@big"]).toMatchObject({ type: PropertyType.TEXT });
    expect(byName["#city@country"]).toMatchObject({ eventCount: 0, kind: PropertyKind.DIMENSION });
  });

  it("of users are theirs", async () => {
    const names = await namesOf({ table: PropertyTable.USER });
    expect(names).toContain("#vp@who");
    expect(names).toEqual(expect.arrayContaining(["#account_id", "#distinct_id", "#user_id", "level"]));
    expect(names).not.toContain("price");
  });

  it("are those of an event, of a kind, and with a beginning", async () => {
    const ofLogin = [
      "#account_id",
      "#city",
      "#city@country",
      "#event_name",
      "#event_time",
      "#server_time",
      "#user_id",
    ];
    expect(await namesOf({ event: login.name })).toEqual([...ofLogin, "#vp@big", "#vp@double"].sort());
    expect(await namesOf({ kind: PropertyKind.DIMENSION })).toEqual(["#city@country"]);
    expect(await namesOf({ prefix: "ITEMS." })).toEqual(["items.count", "items.name"]);
  });

  it("are listed page by page", async () => {
    const client = server.client("grpc");
    const found: string[] = [];
    for (let pageToken = ""; ; ) {
      const page = await client.listProperties({ ...project, pageSize: 3, pageToken });
      found.push(...page.properties.map(({ name }) => name));
      pageToken = page.nextPageToken;
      if (pageToken === "") break;
    }
    expect(found).toEqual(await namesOf({}));
  });
});

describe("values", () => {
  const valuesOf = async (property: string, more: object = {}) => {
    const { values } = await server.client("grpc").listPropertyValues({ ...project, property, ...more });
    return values.map(({ value, count }) => [value, Number(count)]);
  };

  it("are exact texts of every type", async () => {
    expect(await valuesOf("price")).toEqual([
      ["2.5", 1],
      ["10", 1],
      ["20", 1],
      ["40", 1],
    ]);
    expect(await valuesOf("gift")).toEqual([
      ["false", 1],
      ["true", 1],
    ]);
    expect(await valuesOf("at")).toEqual([["2026-01-05 22:00:00", 1]]);
    expect(await valuesOf("#user_id")).toEqual([
      ["1", 4],
      ["2", 2],
      ["3", 1],
    ]);
    expect(await valuesOf("#event_name")).toEqual([
      ["buy", 5],
      ["Login", 2],
    ]);
    expect(await valuesOf("#vp@double")).toEqual([
      ["5", 1],
      ["20", 1],
      ["40", 1],
      ["80", 1],
    ]);
    expect(await valuesOf("#vp@big")).toEqual([["yes", 2]]);
    expect(await valuesOf("level", { table: PropertyTable.USER })).toEqual([
      ["3", 1],
      ["7", 1],
    ]);
  });

  it("have all digits of whole numbers beyond 2^53", async () => {
    await using other = await openCatalogServer();
    await other.opened.load({
      events: [eventOf({ p: { [properties.price.number]: 2 ** 70 } })],
    });
    const { values } = await other.client("grpc").listPropertyValues({ ...project, property: "price" });
    expect(values.map(({ value }) => value)).toContain("1180591620717411303424");
  });

  it("are those of days of the zone", async () => {
    expect(await valuesOf("#city", { fromDay: "2026-01-06" })).toEqual([
      ["Bern", 1],
      ["Oslo", 1],
    ]);
    expect(await valuesOf("#city", { fromDay: "2026-01-05", toDay: "2026-01-05" })).toEqual([
      ["Bern", 2],
      ["Oslo", 1],
    ]);
    expect(await valuesOf("#city", { prefix: "B" })).toEqual([["Bern", 3]]);
  });

  it("are listed page by page", async () => {
    const client = server.client("grpc");
    const request = { ...project, property: "price", pageSize: 2 };
    const first = await client.listPropertyValues(request);
    const second = await client.listPropertyValues({ ...request, pageToken: first.nextPageToken });
    const third = await client.listPropertyValues({ ...request, pageToken: second.nextPageToken });
    expect([first, second, third].map(({ values }) => values.map(({ value }) => value))).toEqual([
      ["2.5", "10"],
      ["20", "40"],
      [],
    ]);
  });
});
