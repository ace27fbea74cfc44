import { describe, expect, it } from "vitest";
import { check, droppedOf, event, nowMs, typesOf, user, valuesOf } from "./checking.ts";

const day = 86_400_000;
const local = (ms: number): string => new Date(ms).toISOString().replace("T", " ").slice(0, 23);
const long = "x".repeat(2_048);

describe("refusals", () => {
  it.each([
    ["null", null, "not_an_object", ""],
    ["a number", 1, "not_an_object", ""],
    ["a list", [], "not_an_object", ""],
    ["no type", event({}, { "#type": undefined }), "type", "#type"],
    ["a type in other case", event({}, { "#type": "TRACK" }), "type", "#type"],
    ["a type that objects inherit", event({}, { "#type": "constructor" }), "type", "#type"],
    ["no time", event({}, { "#time": undefined }), "time_format", "#time"],
    ["a time as a number", event({}, { "#time": 1_767_312_000_000 }), "time_format", "#time"],
    ["no real day", event({}, { "#time": "2026-02-30 00:00:00" }), "time_format", "#time"],
    ["too old", event({}, { "#time": local(nowMs - 1_096 * day - 1) }), "time_too_old", "#time"],
    ["too new", event({}, { "#time": local(nowMs + 3 * day + 1) }), "time_too_new", "#time"],
    ["no event name", event({}, { "#event_name": undefined }), "event_name", "#event_name"],
    ["an event name as a number", event({}, { "#event_name": 7 }), "event_name", "#event_name"],
    ["no ids", event({}, { "#account_id": "" }), "no_id", "#account_id"],
    ["an id as an object", event({}, { "#account_id": {} }), "id", "#account_id"],
    ["an id that is rounded", event({}, { "#distinct_id": 2 ** 60 }), "id", "#distinct_id"],
    ["an id that is too long", event({}, { "#account_id": `${long}x` }), "id", "#account_id"],
    ["an update without an id", event({}, { "#type": "track_update" }), "event_id", "#event_id"],
    ["properties as a list", event([1]), "properties", "properties"],
    ["properties as text", event("{}"), "properties", "properties"],
  ])("%s", (_name, json, reason, field) => {
    expect(check(json)).toMatchObject({ kind: "refused", reason, field });
  });

  it.each([
    ["3 years ago", local(nowMs - 1_096 * day)],
    ["3 days ahead", local(nowMs + 3 * day)],
  ])("takes what is exactly %s", (_name, time) => {
    expect(check(event({}, { "#time": time })).kind).toBe("event");
  });

  it("shows only the begin of a value", () => {
    const refused = check(event({}, { "#event_name": "é".repeat(10_000) }));
    expect((refused as { message: string }).message.length).toBeLessThan(250);
  });
});

describe("types by the first value", () => {
  it.each([
    [1.5, "number"],
    [0, "number"],
    [false, "boolean"],
    ["x", "text"],
    ["12", "text"],
    ["2026-01-02", "text"],
    ["2026-01-02 03:04:05", "time"],
    ["2026-01-02 03:04:05.678", "time"],
    ["2026-02-30 03:04:05", "text"],
    [["x"], "list"],
    [[{ a: 1 }, "x"], "list"],
    [{ a: 1 }, "object"],
    [[{ a: 1 }], "object_group"],
  ])("%j is %s", (value, type) => {
    expect(typesOf(check(event({ p: value })))["p"]).toBe(type);
  });

  it.each([[null], [""], [[]], [[null]], [{}]])("%j is no value and fixes nothing", (value) => {
    const checked = check(event({ p: value }), { "event:p": "number" });
    expect([valuesOf(checked), droppedOf(checked)]).toEqual([{}, []]);
  });
});

describe("conversions", () => {
  it.each([
    ["number", "12.5", 12.5],
    ["number", "-3", -3],
    ["number", "1e+21", 1e21],
    ["number", "7.50", 7.5],
    ["number", "10.00", 10],
    ["number", "-0.5", -0.5],
    ["number", "+.5", 0.5],
    ["number", "5.", 5],
    ["number", "1e3", 1_000],
    ["number", "-2.50E-1", -0.25],
    ["number", "007", 7],
    ["number", "9007199254740991", 9_007_199_254_740_991],
    ["number", -9_007_199_254_740_991, -9_007_199_254_740_991],
    ["number", 1.5e300, 1.5e300],
    ["text", 9_007_199_254_740_993n, "9007199254740993"],
    ["list", [9_007_199_254_740_993n], ["9007199254740993"]],
    ["text", 12.5, "12.5"],
    ["text", true, "true"],
    ["text", "2026-01-02 03:04:05", "2026-01-02 03:04:05"],
    ["text", long, long],
    ["boolean", "true", true],
    ["boolean", "false", false],
    ["time", "2026-01-02 03:04:05", Date.UTC(2026, 0, 2, 3, 4, 5)],
    ["list", ["a", 1, true, null, ""], ["a", "1", "true", ""]],
    ["list", [{ a: 1 }], ['{"a":1}']],
  ] as const)("to %s: %o", (type, value, result) => {
    expect(valuesOf(check(event({ p: value }), { "event:p": type }))).toEqual({ p: result });
  });

  it.each([
    ["number", "1 ", "type"],
    ["number", "1,5", "type"],
    ["number", "1_000", "type"],
    ["number", "1e", "type"],
    ["number", ".", "type"],
    ["number", "+", "type"],
    ["number", "0b1", "type"],
    ["number", "12n", "type"],
    ["number", `${"1".repeat(1_999)}x`, "type"],
    ["number", "1e400", "range"],
    ["number", 9_007_199_254_740_993n, "number_range"],
    ["number", -9_007_199_254_740_992n, "number_range"],
    ["number", 2 ** 53, "number_range"],
    ["number", "9007199254740992", "number_range"],
    ["number", "-9007199254740993.0", "number_range"],
    ["number", "1e16", "number_range"],
    ["boolean", 9_007_199_254_740_993n, "type"],
    ["number", " 1", "type"],
    ["number", "0x10", "type"],
    ["number", "NaN", "type"],
    ["number", "Infinity", "type"],
    ["number", true, "type"],
    ["number", [1], "type"],
    ["number", Number.POSITIVE_INFINITY, "range"],
    ["text", Number.POSITIVE_INFINITY, "range"],
    ["text", `${long}x`, "too_long"],
    ["text", "é".repeat(1_025), "too_long"],
    ["text", ["a"], "type"],
    ["text", { a: 1 }, "type"],
    ["boolean", "TRUE", "type"],
    ["boolean", 1, "type"],
    ["time", "2026-01-02", "type"],
    ["time", 5, "type"],
    ["list", "a", "type"],
    ["list", { a: 1 }, "type"],
    ["list", new Array(501).fill("a"), "too_many"],
    ["list", [`${long}x`], "too_long"],
    ["object", [{ a: 1 }], "type"],
    ["object", "x", "type"],
    ["object_group", { a: 1 }, "type"],
    ["object_group", ["a"], "type"],
    ["object_group", new Array(501).fill({ a: 1 }), "too_many"],
  ] as const)("not to %s: %o", (type, value, reason) => {
    const checked = check(event({ p: value }), { "event:p": type });
    expect([valuesOf(checked), droppedOf(checked)]).toEqual([{}, [`p: ${reason}`]]);
  });
});

describe("names", () => {
  it.each(["p", "P", "a_1", "A".repeat(50), "#city", "constructor", "toString"])("%s is valid", (name) => {
    expect(valuesOf(check(event({ [name]: 1 })))).toEqual({ [name.toLowerCase()]: 1 });
  });

  it.each(["", "_a", "1a", "a b", "a.b", "é", "a\u0000", "A".repeat(51), "#City", "##a", "#"])(
    "%j is none, and the record is refused",
    (name) => {
      const refusal = { kind: "refused", reason: "property_name", field: `properties.${name}` };
      expect(check(event({ [name]: 1 }))).toMatchObject(refusal);
      expect(check(user("user_unset", { [name]: 1 }))).toMatchObject(refusal);
    },
  );

  it.each([
    ["#user_id", "reserved"],
    ["#time", "reserved"],
  ])("%j is the service's own: %s", (name, reason) => {
    expect(droppedOf(check(event({ [name]: 1 })))).toEqual([`${name}: ${reason}`]);
  });

  it.each([
    [{ Price: 1, price: 2 }, { price: 1 }, ["price: double"]],
    [{ price: 1, PRICE: 2 }, { price: 1 }, ["PRICE: double"]],
    [{ PRICE: null, price: 2 }, { price: 2 }, []],
  ])("%j has one property", (properties, values, dropped) => {
    const checked = check(event(properties));
    expect([valuesOf(checked), droppedOf(checked)]).toEqual([values, dropped]);
  });

  it("keeps a property that is named like the prototype out", () => {
    const checked = check(JSON.parse(JSON.stringify(event({})).replace("{}", '{"__proto__":{"a":1}}')));
    expect(checked).toMatchObject({ kind: "refused", field: "properties.__proto__" });
  });
});

describe("zones", () => {
  it.each([
    [8, -8],
    ["8", -8],
    [-12, 12],
    [5.5, -5.5],
    [15, 0],
    ["x", 0],
  ])("#zone_offset %j", (offset, hours) => {
    const checked = check(event({ "#zone_offset": offset, at: "2026-01-02 03:04:05" }));
    const instant = Date.UTC(2026, 0, 2, 3, 4, 5) + hours * 3_600_000;
    expect(checked).toMatchObject({ timeMs: instant });
    expect(valuesOf(checked)["at"]).toBe(instant);
  });

  it("names an offset that there isn't", () => {
    expect(droppedOf(check(event({ "#zone_offset": 15 })))).toEqual(["#zone_offset: range"]);
  });

  it("does not shift times of users", () => {
    const checked = check(user("user_set", { "#zone_offset": 8, at: "2026-01-02 03:04:05" }));
    expect(valuesOf(checked)).toEqual({ at: Date.UTC(2026, 0, 2, 3, 4, 5) });
  });
});

describe("operations on users", () => {
  it.each([
    ["user_add", { n: "5" }, ["n: type"]],
    ["user_add", { n: [1] }, ["n: type"]],
    ["user_append", { l: "a" }, ["l: type"]],
    ["user_uniq_append", { l: [{ a: 1 }] }, ["l: type"]],
  ])("%s %j drops what it has no use for", (type, properties, dropped) => {
    const checked = check(user(type, properties));
    expect([valuesOf(checked), droppedOf(checked)]).toEqual([{}, dropped]);
  });

  it("adds a text that is exactly a number to a number", () => {
    expect(valuesOf(check(user("user_add", { n: "5" }), { "user:n": "number" }))).toEqual({ n: 5 });
  });

  const item = { "user:item": "object", "user:item.a": "number", "user:item.b": "text" } as const;

  it("unsets an object with its members", () => {
    expect(valuesOf(check(user("user_unset", { item: 0, other: 0 }), item))).toEqual({
      item: null,
      "item.a": null,
      "item.b": null,
    });
  });

  it("clears the members that an object has no longer", () => {
    const checked = check(user("user_set", { item: { a: 1 } }), item);
    expect(checked).toMatchObject({ cleared: [{ name: "item.b" }] });
  });
});

it("takes ids that are whole numbers for their digits", () => {
  const checked = check(event({}, { "#account_id": 12, "#distinct_id": 0, "#uuid": 7 }));
  expect(checked).toMatchObject({ accountId: "12", distinctId: "0", uuid: "7" });
});

it.each([["#uuid"], ["#first_check_id"]])("drops a %s that is no id", (key) => {
  expect(droppedOf(check(event({}, { [key]: {} })))).toEqual([`${key}: type`]);
});

it("keeps 1000 properties of a record, and tells of 1000 that it drops", () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`p${i}`, i]));
  const checked = check(event(many));
  expect([Object.keys(valuesOf(checked)).length, droppedOf(checked).length]).toEqual([1_000, 1_000]);
});
