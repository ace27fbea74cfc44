import { describe, expect, it } from "vitest";
import { EventOrder } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { buy, eventOf, login, properties } from "../../../conformance/events/world.ts";
import { openCatalogServer } from "./catalog-server.ts";

const project = { projectId: 1n };

describe("events", () => {
  it("are listed page by page in both orders, also when they change between pages", async () => {
    await using other = await openCatalogServer();
    const client = other.client("grpc");
    const first = await client.listEvents({ ...project, order: EventOrder.COUNT, pageSize: 1 });
    expect(first.events).toMatchObject([{ name: buy.name }]);
    await other.opened.load({ events: [eventOf(), eventOf({ e: login.number })] });
    const pageToken = first.nextPageToken;
    expect(
      await client.listEvents({ ...project, order: EventOrder.COUNT, pageSize: 1, pageToken }),
    ).toMatchObject({
      events: [{ name: login.name, count: 3n }],
    });
    const byName = await client.listEvents({ ...project, pageSize: 1 });
    const rest = await client.listEvents({ ...project, pageToken: byName.nextPageToken });
    expect([byName, rest].map(({ events }) => events.map(({ name, count }) => [name, count]))).toEqual([
      [[login.name, 3n]],
      [[buy.name, 6n]],
    ]);
  });

  it("have the days of the zone", async () => {
    await using other = await openCatalogServer({}, "Pacific/Auckland");
    const { event } = await other.client("grpc").getEvent({ ...project, event: login.name });
    expect(event).toMatchObject({ firstDay: "2026-01-07", lastDay: "2026-01-08" });
  });

  it("remain in the list without events", async () => {
    await using other = await openCatalogServer();
    const signal = new AbortController().signal;
    await other.opened.store.compact({ nowMs: Date.UTC(2026, 5, 1), keepDays: new Map([[1, 1]]), signal });
    const { events } = await other.client("grpc").listEvents({ ...project, prefix: "l" });
    expect(events).toMatchObject([{ name: login.name, count: 0n, firstDay: "", propertyCount: 0 }]);
  });

  it("are read once for a version of the data", async () => {
    await using other = await openCatalogServer();
    const client = other.client("grpc");
    await Promise.all([
      client.listEvents(project),
      client.listProperties(project),
      client.listEvents(project),
    ]);
    await client.getEvent({ ...project, event: buy.name });
    await client.listPropertyValues({ ...project, property: "price" });
    await client.listPropertyValues({ ...project, property: "price" });
    expect(other.reads).toEqual({ volumes: 1, values: 1 });
    await other.opened.load({ events: [eventOf({ p: { [properties.price.number]: 40 } })] });
    expect((await client.getEvent({ ...project, event: buy.name })).event).toMatchObject({ count: 6n });
    const { values } = await client.listPropertyValues({ ...project, property: "price", pageSize: 1 });
    expect(values).toMatchObject([{ value: "40", count: 2n }]);
  });
});
