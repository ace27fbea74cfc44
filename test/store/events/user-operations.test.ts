import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PreparedUser } from "../../../store/events/load.ts";
import type { ProjectSchema, Property } from "../../../store/events/schema.ts";
import { applyOperation, newUser, userProperties } from "../../../store/events/user-operations.ts";
import { properties, userOf } from "../../conformance/events/world.ts";

const group: readonly Property[] = [
  { table: "user", number: 31, name: "pets", type: "object_group" },
  { table: "user", number: 32, name: "pets.name", type: "text", group: "pets" },
  { table: "user", number: 33, name: "pets.age", type: "number", group: "pets" },
];
const schema: ProjectSchema = {
  version: 1,
  events: new Map(),
  properties: new Map(
    [...Object.values(properties), ...group].map((one) => [`${one.table}:${one.name}`, one]),
  ),
};
const known = userProperties(schema);

const level = properties.level.number;
const nick = properties.nick.number;
const badges = properties.badges.number;

function fold(operations: readonly PreparedUser[]) {
  const user = newUser();
  const changes = operations.map((operation) => applyOperation(user, operation, known));
  return { ...user, values: Object.fromEntries(user.values), changes };
}

describe("operations on a user", () => {
  it.each<[string, PreparedUser[], object]>([
    ["keeps all when nothing is given", [userOf("set", { p: { [level]: null } })], {}],
    [
      "adds to numbers only",
      [userOf("set", { p: { [nick]: "a" } }), userOf("add", { p: { [nick]: 1, [level]: "x" } })],
      { [nick]: "a" },
    ],
    ["appends to lists only", [userOf("append", { p: { [nick]: ["a"], [badges]: "b" } })], {}],
    ["ignores what is not known", [userOf("set", { p: { 999: 1, [properties.price.number]: 1 } })], {}],
    [
      "ignores members without their object",
      [userOf("set", { p: { [properties.homeCity.number]: "Bern" } })],
      {},
    ],
    [
      "appends to groups, with nulls for members that are missing",
      [
        userOf("append", { p: { 31: '[{"name":"Rex"}]', 32: ["Rex"] } }),
        userOf("append", { p: { 31: '[{"age":3},{"name":"Tom","age":4}]', 32: [null, "Tom"], 33: [3, 4] } }),
      ],
      { 31: '[{"name":"Rex"},{"age":3},{"name":"Tom","age":4}]', 32: ["Rex", null, "Tom"], 33: [null, 3, 4] },
    ],
    [
      "removes an object with its members",
      [
        userOf("set", {
          p: { [properties.home.number]: '{"city":"Bern"}', [properties.homeCity.number]: "Bern" },
        }),
        userOf("unset", { p: { [properties.home.number]: 0 } }),
      ],
      {},
    ],
  ])("%s", (_what, operations, expected) => {
    expect(fold(operations).values).toEqual(expected);
  });

  it.each<[string, PreparedUser[], boolean[]]>([
    [
      "set once again",
      [userOf("setOnce", { p: { [level]: 1 } }), userOf("setOnce", { p: { [level]: 2 } })],
      [true, false],
    ],
    ["nothing to unset", [userOf("unset", { p: { [level]: 0 } })], [false]],
    [
      "nothing new to append",
      [userOf("append", { p: { [badges]: ["a"] } }), userOf("uniqAppend", { p: { [badges]: ["a"] } })],
      [true, false],
    ],
    ["deleted", [userOf("del")], [true]],
  ])("tells what changes nothing: %s", (_what, operations, changes) => {
    expect(fold(operations).changes).toEqual(changes);
  });

  const values = fc.record(
    {
      [level]: fc.integer({ min: -9, max: 9 }),
      [nick]: fc.constantFrom("a", "b"),
      [badges]: fc.array(fc.constantFrom("x", "y", "z"), { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  const operation = fc
    .record({
      o: fc.constantFrom("set", "setOnce", "add", "append", "uniqAppend", "unset", "del"),
      p: values,
    })
    .map(({ o, p }) => userOf(o as PreparedUser["o"], { p: p as PreparedUser["p"] }));
  const operations = fc.array(operation, { maxLength: 12 });

  it("has the same result in several batches which continue from the stored values", () => {
    fc.assert(
      fc.property(operations, fc.nat(12), (list, cut) => {
        const stored = fold(list.slice(0, cut));
        const user = {
          ...newUser(),
          values: new Map(Object.entries(stored.values).map(([key, value]) => [Number(key), value])),
        };
        for (const one of list.slice(cut)) applyOperation(user, one, known);
        expect(Object.fromEntries(user.values)).toEqual(fold(list).values);
      }),
    );
  });

  it("reports every change of a value", () => {
    fc.assert(
      fc.property(operations, operation, (before, last) => {
        const [old, young] = [fold(before), fold([...before, last])];
        const isEqual = JSON.stringify(old.values) === JSON.stringify(young.values);
        expect(isEqual || young.changes.at(-1)).toBe(true);
      }),
    );
  });

  it("never repeats an element that it appends once", () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 8 }), (given) => {
        const list = (fold(given.map((p) => userOf("uniqAppend", { p: p as PreparedUser["p"] }))).values[
          badges
        ] ?? []) as string[];
        expect(new Set(list).size).toBe(list.length);
      }),
    );
  });
});
