import { describe, expect, it } from "vitest";
import {
  lettersOf,
  prepare,
  prepareText,
  receivedMs,
  rowsOf,
  spooled,
  start,
  timeMs,
  track,
  usePreparer,
  user,
} from "../preparer-rig.ts";

usePreparer();

describe("records become rows", () => {
  it("of events, with new numbers for what is new", async () => {
    const prepared = await prepare(
      track({ "#distinct_id": "d", properties: { Price: 12.5, city: "Köln", vip: true, tags: ["x", "y"] } }),
      track({ "#event_name": "Login", properties: { price: "3", born: "2020-01-02 03:04:05.678" } }),
    );
    expect(rowsOf(prepared, "days")).toEqual([
      {
        e: 1,
        t: timeMs,
        r: receivedMs,
        u: 1,
        a: "a",
        d: "d",
        p: { 1: 12.5, 2: "Köln", 3: true, 4: ["x", "y"] },
      },
      { e: 2, t: timeMs, r: receivedMs, u: 1, a: "a", p: { 1: 3, 5: Date.UTC(2020, 0, 2, 3, 4, 5, 678) } },
    ]);
    const [rows] = prepared.batch.projects;
    expect(rows?.newEvents).toEqual([
      { name: "login", number: 1 },
      { name: "Login", number: 2 },
    ]);
    expect(rows?.newProperties.map(({ table, name, number, type }) => [table, name, number, type])).toEqual([
      ["event", "price", 1, "number"],
      ["event", "city", 2, "text"],
      ["event", "vip", 3, "boolean"],
      ["event", "tags", 4, "list"],
      ["event", "born", 5, "time"],
    ]);
    expect(rows?.counts).toEqual({ events: 2, updates: 0, seen: 1, users: 0 });
    expect(prepared.counts).toMatchObject({ records: 2, events: 2, refused: {}, dropped: {} });
  });

  it("of object groups, with a list for each member", async () => {
    const prepared = await prepare(track({ properties: { items: [{ id: 1, name: "x" }, { id: 2 }] } }));
    const [rows] = prepared.batch.projects;
    expect(rows?.newProperties).toEqual([
      { table: "event", name: "items", number: 1, type: "object_group" },
      { table: "event", name: "items.id", number: 2, type: "number", group: "items" },
      { table: "event", name: "items.name", number: 3, type: "text", group: "items" },
    ]);
    expect(rowsOf(prepared, "days")).toMatchObject([
      { p: { 1: '[{"id":1,"name":"x"},{"id":2}]', 2: [1, 2], 3: ["x", null] } },
    ]);
  });

  it("of events that may be changed, in their order", async () => {
    const update = (type: string) => track({ "#type": type, "#event_id": "o-1", properties: { n: 1 } });
    const prepared = await prepare(update("track_update"), update("track_overwrite"));
    expect(rowsOf(prepared, "updatesFile")).toEqual(
      ["update", "overwrite"].map((o) => ({
        i: "o-1",
        o,
        e: 1,
        t: timeMs,
        r: receivedMs,
        u: 1,
        a: "a",
        p: { 1: 1 },
      })),
    );
  });

  it("of users, and of what makes them known", async () => {
    const prepared = await prepare(
      user("user_set", { name: "n", address: { city: "x", zip: "1" } }),
      user("user_set", { address: { city: "y" } }, { "#distinct_id": "d" }),
      user("user_add", { coins: 5 }),
      user("user_unset", { name: 0 }),
      user("user_del", {}),
    );
    expect(rowsOf(prepared, "seenFile")).toEqual([
      { u: 1, a: "a" },
      { u: 1, a: "a", d: "d" },
    ]);
    expect(rowsOf(prepared, "usersFile")).toEqual([
      { u: 1, o: "set", p: { 1: "n", 2: '{"city":"x","zip":"1"}', 3: "x", 4: "1" } },
      { u: 1, o: "unset", p: { 4: null } },
      { u: 1, o: "set", p: { 2: '{"city":"y"}', 3: "y" } },
      { u: 1, o: "add", p: { 5: 5 } },
      { u: 1, o: "unset", p: { 1: null } },
      { u: 1, o: "del", p: {} },
    ]);
    expect(prepared.counts).toMatchObject({ records: 5, users: 5, events: 0 });
  });

  it("of users whose visitor is another user, without the visitor", async () => {
    const prepared = await prepare(
      user("user_set", { name: "n" }, { "#distinct_id": "d" }),
      user("user_set", { name: "m" }, { "#account_id": "b", "#distinct_id": "d" }),
      track({ "#account_id": undefined, "#distinct_id": "d" }),
    );
    expect(rowsOf(prepared, "seenFile")).toEqual([
      { u: 1, a: "a", d: "d" },
      { u: 2, a: "b" },
    ]);
    expect(rowsOf(prepared, "days")).toMatchObject([{ u: 1, d: "d" }]);
  });

  it("of integers beyond 2^53, exact within objects, lists and texts", async () => {
    const properties =
      '{"o":{"id":12345678901234567890,"n":1},"l":[9007199254740993],"big":12345678901234567890,"t":"x"}';
    const record = (given: string) =>
      `{"#type":"track","#event_name":"login","#time":"2026-01-01 00:00:00","#account_id":"a","properties":${given}}`;
    const prepared = await prepareText(
      `{"p":1,"r":${receivedMs},"b":[${record(properties)},${record('{"t":9007199254740993}')}]}\n`,
    );
    const [first, second] = rowsOf(prepared, "days") as { p: Record<string, unknown> }[];
    expect(Object.values(first!.p)).toEqual([
      '{"id":12345678901234567890,"n":1}',
      "12345678901234567890",
      1,
      ["9007199254740993"],
      "12345678901234567890",
      "x",
    ]);
    expect(Object.values(second!.p)).toEqual(["9007199254740993"]);
  });

  it("without integers beyond 2^53 of numeric properties, which become dead letters", async () => {
    const record = (given: string) =>
      `{"#type":"track","#event_name":"login","#time":"2026-01-01 00:00:00","#account_id":"a","properties":${given}}`;
    const prepared = await prepareText(
      `{"p":1,"r":${receivedMs},"b":[${record('{"id":1}')},${record('{"id":9007199254740993,"n":2}')}]}\n`,
    );
    expect(rowsOf(prepared, "days")).toMatchObject([{ p: { 1: 1 } }, { p: { 2: 2 } }]);
    expect(prepared.counts).toMatchObject({ events: 2, refused: {}, dropped: { number_range: 1 } });
    expect(lettersOf(prepared)).toMatchObject([
      {
        source: "event.load",
        index: "project 1",
        reason: "number_range",
        message: "id 9007199254740993 is beyond ±9007199254740991 and would be changed, send it as text",
        line: record('{"id":9007199254740993,"n":2}'),
      },
    ]);
  });

  it("of no record, whose refusal has its integers as they were", async () => {
    const prepared = await prepareText(
      `{"p":1,"r":${receivedMs},"b":{"#type":"track","n":12345678901234567890}}\n`,
    );
    expect(lettersOf(prepared)[0]?.line).toContain('"n":12345678901234567890');
  });

  it("of several projects, each with its zone and numbers", async () => {
    const prepared = await prepareText(
      spooled(track({ properties: { x: 1 } })) + spooled([track({ properties: { y: 1 } })], 2),
    );
    expect(rowsOf(prepared, "days", 1)).toMatchObject([{ e: 1, t: timeMs, u: 1, p: { 1: 1 } }]);
    expect(rowsOf(prepared, "days", 2)).toMatchObject([
      { e: 1, t: timeMs - 8 * 3_600_000, u: 1, p: { 1: 1 } },
    ]);
  });

  it("of several days, each with a file of its own and the properties that its events have", async () => {
    const prepared = await prepare(
      track({ properties: { a: 1, o: { b: 2 } } }),
      track({ "#time": "2025-12-31 23:59:59.999", properties: { c: 3 } }),
      track({ properties: { a: 2, d: "" } }),
      user("user_set", { x: 1 }),
    );
    const day = timeMs / 86_400_000;
    expect(prepared.batch.projects[0]?.days).toMatchObject([
      { day, events: 2, properties: [1, 2, 3] },
      { day: day - 1, events: 1, properties: [4] },
    ]);
    expect(rowsOf(prepared, "days")).toMatchObject([{ p: { 1: 1, 3: 2 } }, { p: { 1: 2 } }, { p: { 4: 3 } }]);
  });

  it("with the numbers that the store knows", async () => {
    await start({
      version: 3,
      events: new Map([["login", { name: "login", number: 7 }]]),
      properties: new Map([["event:price", { table: "event", name: "price", number: 9, type: "text" }]]),
    });
    const prepared = await prepare(
      track({ properties: { price: 1, extra: 1 } }),
      track({ "#event_name": "other" }),
    );
    expect(rowsOf(prepared, "days")).toMatchObject([
      { e: 7, p: { 9: "1", 10: 1 } },
      { e: 8, p: {} },
    ]);
  });
});
