import { describe, expect, it } from "vitest";
import type { ExportedRecord, ProjectSchema, Property } from "../../../store/events/events.ts";
import {
  type CreateEventsWorld,
  collect,
  dayMs,
  eventOf,
  login,
  noonMs,
  noSignal,
  openStore,
  properties,
  type Rows,
  recordsOf,
  updateOf,
  userOf,
  vocabulary,
} from "./world.ts";

const { price, at, gift, tags, address, zip, moved, items, itemName, level, born, home, homeCity } =
  properties;
const zoneOffset: Property = { table: "event", name: "#zone_offset", number: 60, type: "number" };

const all: Rows = {
  newProperties: [zoneOffset],
  events: [
    eventOf({
      d: "tab",
      p: { [price.number]: 2, [at.number]: noonMs, [gift.number]: true, [tags.number]: ["x", "y"] },
    }),
    eventOf({ e: login.number, t: noonMs + dayMs, p: { [at.number]: noonMs, [zoneOffset.number]: 5.5 } }),
    eventOf({
      t: noonMs + 1,
      p: {
        [address.number]: '{"zip":"8001","moved":"2026-01-05 20:00:00"}',
        [zip.number]: "8001",
        [moved.number]: noonMs,
        [zoneOffset.number]: -3,
        [items.number]: '[{"name":"pen"},{}]',
        [itemName.number]: ["pen", null],
      },
    }),
  ],
  updates: [updateOf({ t: noonMs + 2, p: { [price.number]: 1 } }), updateOf({ i: "other", u: 2, a: "bob" })],
  users: [
    userOf("set", { a: "ada", d: "tab", p: { [level.number]: 3, [born.number]: 0 } }),
    userOf("set", { u: 2, a: "bob", p: { [home.number]: '{"city":"Bern"}', [homeCity.number]: "Bern" } }),
    userOf("seen", { u: 3, d: "alone" }),
  ],
};

export function testExport(create: CreateEventsWorld): void {
  describe("export", () => {
    it("writes standard records", async () => {
      await using opened = await openStore(create);
      await opened.load(all);
      expect(await recordsOf(opened.store)).toEqual([
        {
          "#type": "user_set",
          "#account_id": "ada",
          "#distinct_id": "tab",
          "#time": "2026-06-01 00:00:00.000",
          properties: { level: 3, born: "1970-01-01 00:00:00.000" },
        },
        {
          "#type": "user_set",
          "#account_id": "bob",
          "#time": "2026-06-01 00:00:00.000",
          properties: { home: { city: "Bern" } },
        },
        { "#type": "user_set", "#distinct_id": "alone", "#time": "2026-06-01 00:00:00.000", properties: {} },
        {
          "#type": "track",
          "#account_id": "ada",
          "#event_name": "buy",
          "#time": "2026-01-05 09:00:00.001",
          properties: {
            address: { zip: "8001", moved: "2026-01-05 09:00:00.000" },
            items: [{ name: "pen" }, {}],
            "#zone_offset": -3,
          },
        },
        {
          "#type": "track",
          "#account_id": "ada",
          "#distinct_id": "tab",
          "#event_name": "buy",
          "#time": "2026-01-05 12:00:00.000",
          properties: {
            price: 2,
            at: "2026-01-05 12:00:00.000",
            gift: true,
            tags: ["x", "y"],
            "#zone_offset": 0,
          },
        },
        {
          "#type": "track_overwrite",
          "#account_id": "bob",
          "#event_name": "buy",
          "#event_id": "other",
          "#time": "2026-01-05 12:00:00.000",
          properties: { "#zone_offset": 0 },
        },
        {
          "#type": "track_overwrite",
          "#account_id": "ada",
          "#event_name": "buy",
          "#event_id": "first",
          "#time": "2026-01-05 12:00:00.002",
          properties: { price: 1, "#zone_offset": 0 },
        },
        {
          "#type": "track",
          "#account_id": "ada",
          "#event_name": "Login",
          "#time": "2026-01-06 17:30:00.000",
          properties: { at: "2026-01-05 17:30:00.000", "#zone_offset": 5.5 },
        },
      ]);
    });

    it("exports what recreates the same store", async () => {
      await using first = await openStore(create);
      await first.load(all);
      const records = await recordsOf(first.store);
      await using second = await openStore(create);
      await second.load(rowsOf(records, first.store.schema(1)));
      expect(await recordsOf(second.store)).toEqual(records);
    });

    it("exports all visitors of a user, and no other's", async () => {
      await using opened = await openStore(create);
      await opened.load({
        users: [
          userOf("seen", { d: "tab" }),
          userOf("seen", { a: "ada" }),
          userOf("seen", { u: 2, a: "bob", d: "tab" }),
          userOf("seen", { d: "phone" }),
          userOf("set", { p: { [level.number]: 3 } }),
        ],
      });
      const time = { "#type": "user_set", "#time": "2026-06-01 00:00:00.000" };
      expect(await recordsOf(opened.store)).toEqual([
        { ...time, "#account_id": "ada", "#distinct_id": "tab", properties: {} },
        { ...time, "#account_id": "ada", "#distinct_id": "phone", properties: { level: 3 } },
        { ...time, "#account_id": "bob", properties: {} },
      ]);
    });

    it("keeps integers beyond 2^53 within objects", async () => {
      await using opened = await openStore(create);
      const text = '{"zip":"1","id":12345678901234567890}';
      await opened.load({
        events: [eventOf({ p: { [address.number]: text } })],
        users: [userOf("set", { a: "ada", p: { [home.number]: '{"id":9007199254740993}' } })],
      });
      expect((await recordsOf(opened.store)).map((record) => record["properties"])).toEqual([
        { home: { id: 9007199254740993n } },
        { address: { zip: "1", id: 12345678901234567890n }, "#zone_offset": 0 },
      ]);
    });

    it("keeps to the range, with its start and without its end", async () => {
      await using opened = await openStore(create);
      await opened.load({
        events: [-1, 0, 1, 2].map((ms) => eventOf({ t: noonMs + ms })),
        updates: [updateOf()],
      });
      const range = { projectId: 1, startMs: noonMs, endMs: noonMs + 2, users: false };
      const found = await collect(opened.store.export(range, noSignal()));
      expect(found.map((record) => record["#time"])).toEqual([
        "2026-01-05 12:00:00.000",
        "2026-01-05 12:00:00.001",
        "2026-01-05 12:00:00.000",
      ]);
    });

    it("exports the data as of its start", async () => {
      await using opened = await openStore(create);
      const days = [0, 1, 2, 3, 4];
      await opened.load({ events: days.map((day) => eventOf({ t: noonMs + day * dayMs })) });
      const range = { projectId: 1, startMs: -Infinity, endMs: Infinity, users: false };
      const running = opened.store.export(range, noSignal())[Symbol.asyncIterator]();
      const found: ExportedRecord[] = [...(await running.next()).value!];
      await opened.load({ events: days.map((day) => eventOf({ t: noonMs + day * dayMs })) });
      const options = { nowMs: noonMs + 9 * dayMs, keepDays: new Map([[1, 7]]), signal: noSignal() };
      expect(await opened.store.compact(options)).toEqual({
        rewrittenDays: 3,
        droppedDays: 2,
        droppedEvents: 4,
      });
      for await (const some of { [Symbol.asyncIterator]: () => running }) found.push(...some);
      expect(found).toHaveLength(5);
      expect(await recordsOf(opened.store)).toHaveLength(6);
    });

    it("ends with the reason of its signal", async () => {
      await using opened = await openStore(create);
      await opened.load({ events: [eventOf(), eventOf({ t: noonMs + dayMs })] });
      const controller = new AbortController();
      const range = { projectId: 1, startMs: -Infinity, endMs: Infinity, users: false };
      const running = opened.store.export(range, controller.signal)[Symbol.asyncIterator]();
      await running.next();
      const reason = new Error("enough");
      controller.abort(reason);
      await expect(running.next()).rejects.toBe(reason);
      await opened.load({ events: [eventOf()] });
    });
  });
}

/** Returns the rows that a loader makes of exported records, for a store with the same vocabulary except the zone. */
function rowsOf(records: readonly ExportedRecord[], schema: ProjectSchema): Rows {
  const users = new Map<string, number>();
  const idOf = (record: ExportedRecord): number => {
    const key = String(record["#account_id"] ?? record["#distinct_id"]);
    users.set(key, users.get(key) ?? users.size + 1);
    return users.get(key)!;
  };
  const base = (record: ExportedRecord, table: Property["table"]) => ({
    u: idOf(record),
    ...("#account_id" in record && { a: record["#account_id"] as string }),
    ...("#distinct_id" in record && { d: record["#distinct_id"] as string }),
    p: preparedValues(record["properties"] as Record<string, unknown>, schema, table),
  });
  const eventOfRecord = (record: ExportedRecord) => ({
    ...base(record, "event"),
    e: schema.events.get(record["#event_name"] as string)!.number,
    t: instantOf(record["#time"] as string, record["properties"] as Record<string, unknown>),
    r: noonMs,
  });
  const of = (type: string) => records.filter((record) => record["#type"] === type);
  return {
    newEvents: vocabulary.newEvents,
    newProperties: [zoneOffset],
    users: of("user_set").map((record) => ({ ...base(record, "user"), o: "set" as const })),
    events: of("track").map(eventOfRecord),
    updates: of("track_overwrite").map((record) => ({
      ...eventOfRecord(record),
      i: record["#event_id"] as string,
      o: "overwrite" as const,
    })),
  };
}

const zoneOf = (given: Record<string, unknown>): number => Number(given["#zone_offset"] ?? 0) * 3_600_000;

function instantOf(text: string, given: Record<string, unknown>): number {
  return Date.parse(`${text.replace(" ", "T")}Z`) - zoneOf(given);
}

function preparedValues(
  given: Record<string, unknown>,
  schema: ProjectSchema,
  table: Property["table"],
): Record<string, unknown> {
  const property = (name: string) => schema.properties.get(`${table}:${name}`)!;
  const typed = (name: string, value: unknown) =>
    property(name).type === "time" && value != null ? instantOf(String(value), given) : value;
  const entries = Object.entries(given).flatMap(([name, value]): [number, unknown][] => {
    const { type, number } = property(name);
    const parts = (Array.isArray(value) ? value : [value]) as Record<string, unknown>[];
    const keys = type === "object" || type === "object_group" ? new Set(parts.flatMap(Object.keys)) : [];
    const members = [...keys].map((key): [number, unknown] => {
      const values = parts.map((part) => typed(`${name}.${key}`, part[key]) ?? null);
      return [property(`${name}.${key}`).number, type === "object" ? values[0] : values];
    });
    const whole = type.startsWith("object") ? JSON.stringify(value) : typed(name, value);
    return [[number, whole], ...members];
  });
  return Object.fromEntries(entries);
}
