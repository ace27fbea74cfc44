import { describe, expect, test } from "vitest";
import { EventQuerySchema, EventUserQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { minimal, users } from "./bodies.ts";
import { readBody } from "./read-body.ts";

describe("tolerance", () => {
  const filter = (ftv: unknown) => ({ ...minimal, eventView: { filts: [{ ftv }] } });
  const ftvOf = (body: unknown) => readBody(EventQuerySchema, body).query.eventView?.filts[0]?.ftv;

  test.each([377, "377"])("projectId %j", (projectId) => {
    expect(readBody(EventQuerySchema, { ...minimal, projectId })).toMatchObject({
      query: { projectId: 377n },
      refused: undefined,
    });
  });

  test("a project id beyond 2^53 keeps its digits", () => {
    const text = JSON.stringify(minimal).replace("377", "9007199254740993");
    expect(readBody(EventQuerySchema, text).query.projectId).toBe(9_007_199_254_740_993n);
  });

  test("literals may be numbers and booleans, and keep digits that a double would lose", () => {
    expect(ftvOf(filter([10, 1.5, true, "x", -3]))).toEqual(["10", "1.5", "true", "x", "-3"]);
    const text = JSON.stringify(filter([0])).replace("[0]", "[12345678901234567890, 1e3]");
    expect(ftvOf(text)).toEqual(["12345678901234567890", "1000"]);
  });

  test.each([
    ["limit", "5", 5],
    ["timeoutSeconds", "10", 10],
    ["zoneOffset", "8", 8],
    ["zoneOffset", "-3.5", -3.5],
  ])("%s may be the text %j", (name, text, value) => {
    const { query, refused } = readBody(EventQuerySchema, { ...minimal, [name]: text });
    expect([refused, (query as unknown as Record<string, unknown>)[name]]).toEqual([undefined, value]);
  });

  test("places in lists may be texts, and a percentile a number", () => {
    const events = [{ analysisParams: 95, eventSplitIndexes: ["0"], customFilters: [{ index: "1" }] }];
    const { query, refused } = readBody(EventUserQuerySchema, { ...users, events, eventIndex: "2" });
    expect(refused).toBeUndefined();
    expect(query).toMatchObject({
      eventIndex: 2,
      events: [{ analysisParams: "95", eventSplitIndexes: [0], customFilters: [{ index: 1 }] }],
    });
  });

  test.each([
    [EventQuerySchema, { limit: "5.5" }, '"5.5" is not a whole number from 1 to 10000'],
    [EventQuerySchema, { limit: "" }, '"" is not a whole number from 1 to 10000'],
    [EventQuerySchema, { limit: "99999999999" }, '"99999999999" is not a whole number from 1 to 10000'],
    [EventQuerySchema, { limit: "4294967297" }, '"4294967297" is not a whole number from 1 to 10000'],
    [EventUserQuerySchema, { timeoutSeconds: 0.5 }, "0.5 is not a whole number from 1 to 3600"],
    [EventUserQuerySchema, { zoneOffset: "east" }, '"east" is not a number of hours from -12 to 14'],
    [EventUserQuerySchema, { zoneOffset: true }, "true is not a number of hours from -12 to 14"],
    [EventUserQuerySchema, { eventIndex: "first" }, '"first" is not a whole number from 0 on'],
    [EventUserQuerySchema, { eventIndex: 1.5 }, "1.5 is not a whole number from 0 on"],
  ])("%# is refused with what is valid", (schema, more, refusal) => {
    const [name] = Object.keys(more);
    expect(readBody(schema, { ...users, ...more }).refused).toBe(`${name}: ${refusal}`);
  });

  test("null is not set, at every depth", () => {
    const nulls = {
      useCache: null,
      limit: null,
      eventView: { recentDay: null, eventSplit: null, filts: null },
    };
    const { query, refused } = readBody(EventQuerySchema, { ...minimal, ...nulls });
    expect(refused).toBeUndefined();
    expect(query).toMatchObject({ eventView: { recentDay: "", filts: [] } });
    expect([query.useCache, query.limit, query.eventView?.eventSplit]).toEqual(Array(3).fill(undefined));
  });

  test("an empty text is an enum that is not set", () => {
    const groupBy = [{ columnName: "a", tableType: "", subTableType: "", propertyRangeType: "" }];
    const { refused } = readBody(EventQuerySchema, { ...minimal, eventView: { groupBy } });
    expect(refused).toBeUndefined();
  });

  test("labels may be numbers, and (null) and null are the null group", () => {
    const { query } = readBody(EventUserQuerySchema, {
      ...users,
      sliceGroupVal: ["a", 1, true, "(null)", null, "\\(null)", "\\\\(null)", "\\n"],
    });
    expect(query.sliceGroupVal.map(({ value }) => value)).toEqual([
      { case: "label", value: "a" },
      { case: "label", value: "1" },
      { case: "label", value: "true" },
      { case: "nullValue", value: 0 },
      { case: "nullValue", value: 0 },
      { case: "label", value: "(null)" },
      { case: "label", value: "\\(null)" },
      { case: "label", value: "\\n" },
    ]);
  });

  test("Overall is an ordinary label where there are groups", () => {
    const eventView = { groupBy: [{ columnName: "a", tableType: "event" }] };
    const { query } = readBody(EventUserQuerySchema, { ...users, eventView, sliceGroupVal: ["Overall"] });
    expect(query.sliceGroupVal).toHaveLength(1);
  });

  test("only the outermost unknown member is named, quoted where it is no plain word", () => {
    const body = {
      ...minimal,
      dimensions: [{ a: { b: 1 } }],
      eventView: { statType: {}, "a b": 1 },
      ignoredFields: ["x"],
      ignored_fields: ["x"],
    };
    expect(readBody(EventQuerySchema, body).query.ignoredFields).toEqual([
      "eventView.statType",
      'eventView["a b"]',
      "dimensions",
      "ignoredFields",
      "ignored_fields",
    ]);
  });

  test("a flood of unknown members is counted", () => {
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, i]));
    const { ignoredFields } = readBody(EventQuerySchema, { ...minimal, ...flood }).query;
    expect([ignoredFields.length, ignoredFields.at(-1)]).toEqual([101, "4900 more"]);
  });
});
