import { describe, expect, it } from "vitest";
import { shapeUserRow } from "../../../services/analysis/shape/users.ts";
import { columnsOf, createMemberReader } from "../../../services/bridges/member-reader.ts";
import type { AudienceMember } from "../../../services/channel/audience/source.ts";
import type { ProjectSchema, Property, StoredUser } from "../../../store/events/events.ts";
import { chunkOf } from "../analysis/shape/object-chunk.ts";
import { utf8ChunkOf } from "../analysis/shape/utf8-chunk.ts";

const types: Readonly<Record<string, Property["type"]>> = {
  nick: "text",
  level: "number",
  vip: "boolean",
  born: "time",
  badges: "list",
  device: "object",
  "device.seen": "time",
  items: "object_group",
  "items.made": "time",
};

const schema: ProjectSchema = {
  version: 1,
  events: new Map(),
  properties: new Map(
    Object.entries(types).map(([name, type], i) => [
      `user:${name}`,
      { table: "user", name, type, number: i },
    ]),
  ),
};

const ada: StoredUser = {
  userId: 9_007_199_254_740_993n,
  accountId: "ada",
  distinctId: null,
  properties: {},
};

/** Reads one user in each form. */
function readEach(
  user: StoredUser,
  pushIdProperty: string,
  properties: readonly string[],
): readonly AudienceMember[] {
  const wanted = { pushIdProperty, properties };
  const reader = createMemberReader(wanted, () => schema);
  return [
    ...reader.users(chunkOf([user])),
    ...reader.users(utf8ChunkOf([user])),
    ...reader.rows([shapeUserRow(user, columnsOf(wanted))]),
  ];
}

const threeOf = <T>(one: T): readonly T[] => [one, one, one];

describe("members, from users as they are stored, with texts as bytes, and from rows", () => {
  it.each<[string, unknown, unknown, string | undefined]>([
    ["nick", "Ada", "Ada", "Ada"],
    ["nick", "", "", ""],
    ["nick", "Zoë \u{1f600} \"'\\", "Zoë \u{1f600} \"'\\", "Zoë \u{1f600} \"'\\"],
    ["nick", "2026-01-05 12:00:00.123", "2026-01-05 12:00:00.123", "2026-01-05 12:00:00.123"],
    ["nick", null, undefined, undefined],
    ["level", 3, 3, "3"],
    ["level", 0, 0, "0"],
    ["level", -2.5e-7, -2.5e-7, "-0.00000025"],
    ["level", 2 ** 53, "9007199254740992", "9007199254740992"],
    ["level", 1e21, "1000000000000000000000", "1000000000000000000000"],
    ["level", 12n, "12", "12"],
    ["vip", true, true, "true"],
    ["vip", false, false, "false"],
    ["born", "2026-01-05 12:00:00.123", "2026-01-05 12:00:00", "2026-01-05 12:00:00"],
    ["badges", [], [], "[]"],
    ["badges", ["x", "", "ü"], ["x", "", "ü"], '["x","","ü"]'],
    [
      "device",
      { os: "x", size: { w: 1, h: null }, on: true, id: 2n ** 60n },
      { os: "x", size: { w: 1, h: null }, on: true, id: "1152921504606846976" },
      '{"os":"x","size":{"w":1,"h":null},"on":true,"id":"1152921504606846976"}',
    ],
    ["device", {}, {}, "{}"],
    ["device.seen", "2026-01-05 12:00:00.123", "2026-01-05 12:00:00", "2026-01-05 12:00:00"],
    ["items", [{ id: "a" }, { id: 2 }], [{ id: "a" }, { id: 2 }], '[{"id":"a"},{"id":2}]'],
    [
      "items.made",
      ["2026-01-05 12:00:00.123", null],
      ["2026-01-05 12:00:00.123", null],
      '["2026-01-05 12:00:00.123",null]',
    ],
    ["#user_id", undefined, "9007199254740993", "9007199254740993"],
    ["#account_id", undefined, "ada", "ada"],
    ["#distinct_id", undefined, undefined, undefined],
    ["unknown", undefined, undefined, undefined],
  ])("have %s %o as %o and push id %o", (name, value, property, pushId) => {
    const user = { ...ada, properties: { [name]: value } };
    const properties = property === undefined ? {} : { [name]: property };
    expect(readEach(user, name, [name])).toEqual(threeOf({ pushId, properties }));
  });
});

it("reads the push id by a name in any case, an id only by its own", () => {
  const user = { ...ada, properties: { nick: "Ada", level: 1, vip: true } };
  expect(readEach(user, "NICK", ["level"])).toEqual(threeOf({ pushId: "Ada", properties: { level: 1 } }));
  expect(readEach(user, "#USER_ID", [])).toEqual(threeOf({ pushId: undefined, properties: {} }));
});

it("cuts a time that is only the push id", () => {
  const user = { ...ada, properties: { born: "2026-01-05 12:00:00.123" } };
  expect(readEach(user, "born", [])).toEqual(threeOf({ pushId: "2026-01-05 12:00:00", properties: {} }));
});

it("has no property that only the prototype of objects has", () => {
  expect(readEach(ada, "constructor", ["constructor"])).toEqual(
    threeOf({ pushId: undefined, properties: {} }),
  );
});

it.each<[string, bigint, number | undefined]>([
  ["#account_id", 7n, 7],
  ["#user_id", 9_007_199_254_740_991n, 9_007_199_254_740_991],
  ["#account_id", 9_007_199_254_740_992n, undefined],
  ["#distinct_id", 7n, undefined],
  ["nick", 7n, undefined],
])(
  "numbers members by %s of the stored user %d as %d, and none from rows",
  (pushIdProperty, userId, expected) => {
    const members = readEach({ ...ada, userId }, pushIdProperty, []);
    expect(members.map((member) => member.userId)).toEqual([expected, expected, undefined]);
  },
);

it("asks for the schema once, when users are found", () => {
  let asked = 0;
  const reader = createMemberReader({ pushIdProperty: "nick", properties: [] }, () => {
    asked++;
    return schema;
  });
  expect(asked).toBe(0);
  for (let chunk = 0; chunk < 2; chunk++) reader.users(chunkOf([ada]));
  expect(asked).toBe(1);
});
