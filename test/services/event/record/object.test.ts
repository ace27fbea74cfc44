import { describe, expect, it } from "vitest";
import { check, droppedOf, event, typesOf, valuesOf } from "./checking.ts";

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

describe("objects", () => {
  it("have members that are properties of their own", () => {
    const checked = check(
      event({ Item: { Name: "sword", count: 3, at: "2026-01-02 03:04:05", none: null } }),
    );
    expect(valuesOf(checked)).toEqual({
      item: '{"Name":"sword","count":3,"at":"2026-01-02 03:04:05","none":null}',
      "item.name": "sword",
      "item.count": 3,
      "item.at": Date.UTC(2026, 0, 2, 3, 4, 5),
    });
    expect(typesOf(checked)).toEqual({
      item: "object",
      "item.name": "text",
      "item.count": "number",
      "item.at": "time",
    });
  });

  it("keep what is within their members as text, but lists of scalars as lists", () => {
    expect(valuesOf(check(event({ o: { deep: { a: 1 }, rows: [{ a: 1 }], tags: ["x", 1] } })))).toMatchObject(
      {
        "o.deep": '{"a":1}',
        "o.rows": '[{"a":1}]',
        "o.tags": ["x", "1"],
      },
    );
  });

  it("drop members one by one", () => {
    const known = { "event:o": "object", "event:o.n": "number" } as const;
    const checked = check(event({ o: { "a b": 1, n: "x", N: 2, ok: 1, t: "y".repeat(2_049) } }), known);
    expect(droppedOf(checked)).toEqual(["o.a b: name", "o.n: type", "o.t: too_long"]);
    expect(valuesOf(checked)).toMatchObject({ "o.n": 2, "o.ok": 1 });
  });

  it.each([
    [100, []],
    [101, ["o: too_many"]],
  ])("of %i members", (count, dropped) => {
    const members = Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));
    expect(droppedOf(check(event({ o: members })))).toEqual(dropped);
  });

  it.each([
    [32, []],
    [33, ["o: too_deep"]],
    [5_000, ["o: too_deep"]],
  ])("of %i levels", (levels, dropped) => {
    const checked = check(event({ o: nested(levels) }));
    expect(droppedOf(checked)).toEqual(dropped);
  });

  it("are named once in any case", () => {
    expect(droppedOf(check(event({ o: { a: 1, A: 2 } })))).toEqual(["o.A: double"]);
  });
});

describe("object groups", () => {
  it("have members that are lists as long as the group", () => {
    const checked = check(event({ items: [{ id: "a", n: 1 }, { id: "b" }, { n: 3, x: null }] }));
    expect(valuesOf(checked)).toEqual({
      items: '[{"id":"a","n":1},{"id":"b"},{"n":3,"x":null}]',
      "items.id": ["a", "b", null],
      "items.n": [1, null, 3],
    });
    expect(checked).toMatchObject({
      values: [
        { name: "items", type: "object_group", group: undefined },
        { name: "items.id", type: "text", group: "items" },
        { name: "items.n", type: "number", group: "items" },
      ],
    });
  });

  it("have a null where a value does not fit, reported once", () => {
    const checked = check(event({ g: [{ n: 1 }, { n: "x" }, { n: "y" }, { n: "2" }] }));
    expect(valuesOf(checked)["g.n"]).toEqual([1, null, null, 2]);
    expect(droppedOf(checked)).toEqual(["g.n: type"]);
  });

  it("leave a member out that fits nowhere", () => {
    const known = { "event:g": "object_group", "event:g.n": "number" } as const;
    expect(Object.keys(valuesOf(check(event({ g: [{ n: "x" }] }), known)))).toEqual(["g"]);
  });

  it("keep lists and objects within them as text", () => {
    expect(valuesOf(check(event({ g: [{ l: ["x"], o: { a: 1 } }] })))).toMatchObject({
      "g.l": ['["x"]'],
      "g.o": ['{"a":1}'],
    });
  });

  it("have at most 100 members, in each element and in all", () => {
    const elements = Array.from({ length: 11 }, (_, e) =>
      Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`m${e}_${i}`, i])),
    );
    const checked = check(event({ g: elements }));
    expect([Object.keys(valuesOf(checked)).length, droppedOf(checked).length]).toEqual([101, 10]);
    const wide = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, i]));
    expect(droppedOf(check(event({ g: [wide] })))).toEqual(["g: too_many"]);
  });
});
