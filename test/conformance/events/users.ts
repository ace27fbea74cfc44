import { describe, expect, it } from "vitest";
import {
  type CreateEventsWorld,
  noonMs,
  openStore,
  properties,
  type UserRow,
  userOf,
  userRecords,
} from "./world.ts";

const level = properties.level.number;
const nick = properties.nick.number;
const born = properties.born.number;
const badges = properties.badges.number;
const home = properties.home.number;
const homeCity = properties.homeCity.number;
const homeFloor = properties.homeFloor.number;
const paying = properties.paying.number;

interface Case {
  readonly name: string;
  readonly operations: readonly UserRow[];
  readonly expected: readonly object[];
}

const inBern = { [home]: '{"city":"Bern","floor":2}', [homeCity]: "Bern", [homeFloor]: 2 };
const inRome = { [home]: '{"city":"Rome"}', [homeCity]: "Rome" };

const cases: readonly Case[] = [
  {
    name: "makes users known",
    operations: [userOf("seen", { a: "ada" }), userOf("seen", { u: 2, d: "tab" })],
    expected: [{ account: "ada" }, { visitor: "tab" }],
  },
  {
    name: "keeps the latest ids",
    operations: [userOf("seen", { d: "old" }), userOf("seen", { a: "ada" }), userOf("set", { d: "new" })],
    // The other visitor is exported too, so that it stays theirs.
    expected: [
      { account: "ada", visitor: "old" },
      { account: "ada", visitor: "new" },
    ],
  },
  {
    name: "keeps ids that come one by one",
    operations: [userOf("seen", { d: "tab" }), userOf("seen", { a: "ada" }), userOf("seen")],
    expected: [{ account: "ada", visitor: "tab" }],
  },
  {
    name: "sets values of all types",
    operations: [
      userOf("set", {
        p: { [level]: 1, [nick]: "a", [born]: noonMs, [badges]: ["x"], [paying]: true, ...inBern },
      }),
    ],
    expected: [
      {
        level: 1,
        nick: "a",
        born: "2026-01-05 12:00:00.000",
        badges: ["x"],
        paying: true,
        home: { city: "Bern", floor: 2 },
      },
    ],
  },
  {
    name: "sets the last of several",
    operations: [userOf("set", { p: { [level]: 1, [nick]: "a" } }), userOf("set", { p: { [level]: 2 } })],
    expected: [{ level: 2, nick: "a" }],
  },
  {
    name: "sets once what is not there",
    operations: [
      userOf("setOnce", { p: { [level]: 1 } }),
      userOf("setOnce", { p: { [level]: 2, [nick]: "a" } }),
    ],
    expected: [{ level: 1, nick: "a" }],
  },
  {
    name: "adds from 0 on",
    operations: [userOf("add", { p: { [level]: 2.5 } }), userOf("add", { p: { [level]: -4 } })],
    expected: [{ level: -1.5 }],
  },
  {
    name: "appends with and without repetition",
    operations: [
      userOf("append", { p: { [badges]: ["a", "a"] } }),
      userOf("uniqAppend", { p: { [badges]: ["a", "b", "b"] } }),
      userOf("append", { p: { [badges]: ["b"] } }),
    ],
    expected: [{ badges: ["a", "a", "b", "b"] }],
  },
  {
    name: "unsets, then sets once again",
    operations: [
      userOf("set", { p: { [level]: 1, [nick]: "a" } }),
      userOf("unset", { p: { [level]: 0, [born]: 0 } }),
      userOf("setOnce", { p: { [level]: 5 } }),
      userOf("unset", { p: { [nick]: "" } }),
    ],
    expected: [{ level: 5 }],
  },
  {
    name: "replaces an object with all its members",
    operations: [userOf("set", { p: inBern }), userOf("set", { p: inRome })],
    expected: [{ home: { city: "Rome" } }],
  },
  {
    name: "deletes properties and keeps ids",
    operations: [
      userOf("set", { a: "ada", d: "tab", p: { [level]: 1, [badges]: ["x"], ...inBern } }),
      userOf("del"),
      userOf("add", { p: { [level]: 1 } }),
    ],
    expected: [{ account: "ada", visitor: "tab", level: 1 }],
  },
  {
    name: "keeps users apart",
    operations: [
      userOf("set", { p: { [level]: 1 } }),
      userOf("set", { u: 2, p: { [level]: 2 } }),
      userOf("del", { u: 2 }),
      userOf("add", { p: { [level]: 1 } }),
    ],
    expected: [{ level: 2 }, {}],
  },
];

export function testUsers(create: CreateEventsWorld): void {
  describe("operations on users", () => {
    it.each(cases)("$name, in one batch", async ({ operations, expected }) => {
      await using opened = await openStore(create);
      await opened.load({ users: operations });
      expect(await userRecords(opened.store)).toEqual(expected);
    });

    it.each(cases)("$name, in a batch each", async ({ operations, expected }) => {
      await using opened = await openStore(create);
      for (const operation of operations) await opened.load({ users: [operation] });
      expect(await userRecords(opened.store)).toEqual(expected);
    });

    it.each(cases)("$name, beside other users and properties", async ({ operations, expected }) => {
      await using opened = await openStore(create);
      const other = userOf("set", { u: 900, p: { [nick]: "kept", [paying]: false, ...inBern } });
      const busy = userOf("set", { u: 901, p: { [badges]: ["k"], [born]: 0 } });
      await opened.load({ users: [other, busy] });
      await opened.load({ users: [...operations, userOf("add", { u: 901, p: { [level]: 1 } })] });
      expect(await userRecords(opened.store)).toEqual([
        ...expected,
        { nick: "kept", paying: false, home: { city: "Bern", floor: 2 } },
        { badges: ["k"], born: "1970-01-01 00:00:00.000", level: 1 },
      ]);
    });

    it("applies the operations of many users in one batch", async () => {
      await using opened = await openStore(create);
      const count = 6_000;
      const ids = Array.from({ length: count }, (_, at) => at + 1);
      await opened.load({ users: ids.map((u) => userOf("set", { u, a: `a${u}`, p: { [level]: u } })) });
      await opened.load({
        users: ids.flatMap((u) => [
          userOf("add", { u, p: { [level]: 1 } }),
          userOf("append", { u, p: { [badges]: ["x"] } }),
        ]),
      });
      expect(await userRecords(opened.store)).toEqual(
        ids.map((u) => ({ account: `a${u}`, visitor: undefined, level: u + 1, badges: ["x"] })),
      );
      expect(await opened.store.check(new AbortController().signal)).toEqual([]);
    });
  });
}
