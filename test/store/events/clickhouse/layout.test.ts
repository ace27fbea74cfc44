import { describe, expect, it } from "vitest";
import {
  isKept,
  isLoaded,
  type ProjectSnapshot,
  propertyColumn,
  propertyType,
} from "../../../../store/events/clickhouse/layout.ts";
import { emptySchema } from "../../../../store/events/events.ts";
import { properties } from "../../../conformance/events/world.ts";

const snapshot: ProjectSnapshot = {
  projectId: 1,
  schema: emptySchema,
  generation: 1,
  watermark: 9,
  hiddenBatches: [],
  mayHaveUpdatable: false,
  hiddenEvents: [],
  dropped: undefined,
  deletions: [],
  cohorts: [],
};

describe("columns", () => {
  it.each([
    [properties.price, "p1", "Nullable(Float64)"],
    [properties.city, "p2", "Nullable(String)"],
    [properties.at, "p3", "Nullable(Int64)"],
    [properties.gift, "p4", "Nullable(Bool)"],
    [properties.tags, "p5", "Array(String)"],
    [properties.address, "p6", "Nullable(String)"],
    [properties.items, "p9", "Nullable(String)"],
    [properties.itemName, "p10", "Array(Nullable(String))"],
    [properties.itemCount, "p11", "Array(Nullable(Float64))"],
    [{ ...properties.tags, group: "items" }, "p5", "Array(Nullable(String))"],
  ] as const)("%j is %s %s", (property, column, type) => {
    expect([propertyColumn(property), propertyType(property)]).toEqual([column, type]);
  });
});

describe("the rows of a snapshot", () => {
  it("are those of all batches up to the watermark", () => {
    expect(isLoaded(snapshot)).toBe("batch <= 9");
    expect(isKept(snapshot)).toBe("true");
  });

  it("are none of batches which are not completely loaded", () => {
    expect(isLoaded({ ...snapshot, hiddenBatches: [3, 8] })).toBe("batch <= 9 AND batch NOT IN (3, 8)");
  });

  it("are none of removed and dropped events", () => {
    const dropped = { beforeMs: -5, watermark: 7 };
    expect(isKept({ ...snapshot, hiddenEvents: [2], dropped })).toBe(
      "event NOT IN (2) AND (time_ms >= -5 OR batch > 7)",
    );
  });

  it("are none of a deletion, which has no rows of later batches", () => {
    const rows = { watermark: 7, hiddenBatches: [3], startMs: -5, endMs: 5, events: [1, 2], users: [4] };
    expect(isKept({ ...snapshot, deletions: [rows] }, "t")).toBe(
      "NOT (t.batch <= 7 AND t.batch NOT IN (3) AND t.time_ms >= -5 AND t.time_ms < 5 AND t.event IN (1, 2) AND t.user_id IN (4))",
    );
    const all = { startMs: undefined, endMs: undefined, events: undefined, users: undefined };
    expect(isKept({ ...snapshot, deletions: [{ ...rows, hiddenBatches: [], ...all }] })).toBe(
      "NOT (batch <= 7)",
    );
  });
});
