import { describe, expect, it } from "vitest";
import { checkRecord } from "../../../../services/event/record/check-record.ts";
import { NameBook, type NameLimits } from "../../../../services/event/record/name-book.ts";
import type { CheckedRecord } from "../../../../services/event/record/record.ts";
import { createTypeTable } from "../../../../services/event/record/type-table.ts";
import { droppedOf, event, nowMs, user, valuesOf } from "./checking.ts";

const known = { table: "event", name: "old", number: 1, type: "number" } as const;
const loose: NameLimits = { maxEventNames: 10, maxNewNamesPerMinute: 10 };

/** A record of a project that has had the event `e`, and the property `old` of events. */
function check(record: unknown, limits: Partial<NameLimits>, appid: string | null = "app"): CheckedRecord {
  const names = new NameBook({
    limits: { ...loose, ...limits },
    rates: undefined,
    hasEvent: (name) => name === "e",
    eventCount: () => 1,
  });
  names.begin(appid ?? undefined, nowMs);
  const types = createTypeTable([known]);
  return checkRecord(record, { types, names, toInstant: (localMs) => localMs }, nowMs);
}

const named = (name: string, properties: unknown = {}): unknown => event(properties, { "#event_name": name });

describe("names that are new", () => {
  it.each<[string, unknown, Partial<NameLimits>, string]>([
    [
      "to a project with as many events as it may have",
      named("buy"),
      { maxEventNames: 1 },
      '#event_name "buy" is new, and the project has as many names of events as events.maxEventNames allows',
    ],
    [
      "to a project of which an app id has brought many",
      named("buy"),
      { maxNewNamesPerMinute: 0 },
      '#event_name "buy" is new, and too many names were new within a minute (events.maxNewNamesPerMinute), it may be sent again later',
    ],
  ])("of an event are refused: %s", (_name, record, limits, message) => {
    const reason = message.includes("minute") ? "name_rate" : "event_limit";
    expect(check(record, limits)).toEqual({ kind: "refused", reason, field: "#event_name", message });
  });

  it.each<[unknown, Partial<NameLimits>, readonly string[], readonly string[]]>([
    [named("e", { old: 1, a: 1, b: 2 }), { maxNewNamesPerMinute: 1 }, ["old", "a"], ["b: name_rate"]],
    [named("buy", { a: 1, b: 2 }), { maxNewNamesPerMinute: 2 }, ["a"], ["b: name_rate"]],
    [named("buy", { old: 1, a: 1 }), { maxNewNamesPerMinute: 1 }, ["old"], ["a: name_rate"]],
    [named("e", { o: { x: 1, y: 2 } }), { maxNewNamesPerMinute: 2 }, ["o", "o.x"], ["o.y: name_rate"]],
    [named("e", { g: [{ x: 1 }] }), { maxNewNamesPerMinute: 1 }, ["g"], ["g.x: name_rate"]],
    [named("e", { a: 1 }), { maxEventNames: 1 }, ["a"], []],
    [
      user("user_set", { a: 1, b: 2 }),
      { maxNewNamesPerMinute: 1, maxEventNames: 0 },
      ["a"],
      ["b: name_rate"],
    ],
    [named("e", { a: "", b: null }), { maxNewNamesPerMinute: 0 }, [], []],
  ])("of properties are dropped: %j of %j", (record, limits, kept, dropped) => {
    const checked = check(record, limits);
    expect([Object.keys(valuesOf(checked)), droppedOf(checked)]).toEqual([kept, dropped]);
  });

  it("are as many as the operator wants, who names no app id, but for events", () => {
    const names = { maxNewNamesPerMinute: 0 };
    expect(Object.keys(valuesOf(check(named("buy", { a: 1, b: 2 }), names, null)))).toEqual(["a", "b"]);
    expect(check(named("buy"), { maxEventNames: 1 }, null)).toMatchObject({ reason: "event_limit" });
  });
});

describe("a minute of new names", () => {
  const book = (): NameBook =>
    new NameBook({
      limits: { maxEventNames: 10, maxNewNamesPerMinute: 2 },
      rates: undefined,
      hasEvent: () => false,
      eventCount: () => 0,
    });
  const minuteMs = 60_000;

  it("is of each app id, and then over", () => {
    const names = book();
    names.begin("a", 5 * minuteMs);
    names.add();
    names.add();
    expect(names.rateRoom).toBe(0);
    names.begin("b", 5 * minuteMs);
    expect(names.rateRoom).toBe(2);
    names.begin("a", 6 * minuteMs - 1);
    expect(names.rateRoom).toBe(0);
    names.begin("a", 6 * minuteMs);
    expect(names.rateRoom).toBe(2);
  });

  it("does not come again for records that were received before others", () => {
    const names = book();
    for (const minute of [7, 6]) {
      names.begin("a", minute * minuteMs);
      names.add();
    }
    expect(names.rateRoom).toBe(0);
  });

  it("goes on from where it was", () => {
    const names = book();
    names.begin("a", 5 * minuteMs);
    names.add();
    const next = new NameBook({
      limits: { maxEventNames: 10, maxNewNamesPerMinute: 2 },
      rates: names.rates(),
      hasEvent: () => false,
      eventCount: () => 0,
    });
    next.begin("a", 5 * minuteMs);
    expect(next.rateRoom).toBe(1);
  });
});
