import { describe, expect, it } from "vitest";
import { checkRecord } from "../../../../services/event/record/check-record.ts";
import { createTypeTable } from "../../../../services/event/record/type-table.ts";
import type { Property } from "../../../../store/events/events.ts";
import { accepted, droppedOf, event, nowMs, user } from "./checking.ts";

const known: readonly Property[] = [
  { table: "event", name: "old", number: 1, type: "number" },
  { table: "event", name: "o", number: 2, type: "object" },
  { table: "user", name: "level", number: 3, type: "number" },
];

interface Case {
  readonly record: unknown;
  readonly maxProperties: number;
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
}

describe("a project with as many properties as it may have", () => {
  it.each<Case>([
    {
      record: event({ a: 1, old: 2, b: 3, c: 4 }),
      maxProperties: 3,
      kept: ["a", "old"],
      dropped: ["b: property_limit", "c: property_limit"],
    },
    { record: event({ old: 1 }), maxProperties: 1, kept: ["old"], dropped: [] },
    { record: event({ a: "", b: null }), maxProperties: 2, kept: [], dropped: [] },
    {
      record: event({ o: { x: 1, y: 2 } }),
      maxProperties: 3,
      kept: ["o", "o.x"],
      dropped: ["o.y: property_limit"],
    },
    { record: event({ new: { x: 1 } }), maxProperties: 2, kept: [], dropped: ["new: property_limit"] },
    {
      record: event({ rows: [{ x: 1, y: 2 }] }),
      maxProperties: 4,
      kept: ["rows", "rows.x"],
      dropped: ["rows.y: property_limit"],
    },
    { record: event({ rows: [{ x: 1 }] }), maxProperties: 2, kept: [], dropped: ["rows: property_limit"] },
    {
      record: event({ old: 1 }, { "#ip": "203.0.113.1" }),
      maxProperties: 2,
      kept: ["old"],
      dropped: ["#ip: property_limit"],
    },
    {
      record: user("user_set", { a: 1, b: 2 }),
      maxProperties: 2,
      kept: ["a"],
      dropped: ["b: property_limit"],
    },
    {
      record: user("user_add", { level: 1, a: 1 }),
      maxProperties: 1,
      kept: ["level"],
      dropped: ["a: property_limit"],
    },
    { record: user("user_unset", { level: 1, a: 1 }), maxProperties: 1, kept: ["level"], dropped: [] },
    {
      record: event({ long: "x".repeat(2_049), a: 1 }),
      maxProperties: 3,
      kept: ["a"],
      dropped: ["long: too_long"],
    },
  ])(
    "$maxProperties keeps $kept of a record, and drops $dropped",
    ({ record, maxProperties, ...expected }) => {
      const types = createTypeTable(known, { maxProperties });
      const checked = checkRecord(record, { types, toInstant: (localMs) => localMs }, nowMs);
      expect(accepted(checked).values.map(({ name }) => name)).toEqual(expected.kept);
      expect(droppedOf(checked)).toEqual(expected.dropped);
    },
  );
});
