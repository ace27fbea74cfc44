import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  EventStore,
  Expression,
  Predicate,
  StoredUser,
  UserSelection,
} from "../../../store/events/events.ts";
import { collectUsers } from "./collect-users.ts";
import {
  asyncOf,
  type CreateEventsWorld,
  eventOf,
  noonMs,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  userOf,
} from "./world.ts";

const { level, nick, born, badges, home, homeCity, homeFloor, paying, price } = properties;

const of = (property: (typeof properties)[keyof typeof properties]): Expression => ({
  kind: "property",
  property,
});
const builtin = (name: Extract<Expression, { kind: "builtin" }>["name"]): Expression => ({
  kind: "builtin",
  name,
});
const is = (one: Expression, ...values: (string | number | boolean)[]): Predicate => ({
  kind: "in",
  of: one,
  values,
});
const not = (one: Predicate): Predicate => ({ kind: "not", of: one });
const isNull = (one: Expression): Predicate => ({ kind: "isNull", of: one });
const always: Predicate = { kind: "always", value: true };
const vip: Predicate = { kind: "inCohort", cohort: { name: "vip" } };
const size: Expression = { kind: "tag", cohort: { name: "size" } };

/** Users, of which only the first has an event. */
const users = [
  userOf("set", {
    u: 1,
    a: "ada",
    d: "va",
    p: {
      [level.number]: 3,
      [paying.number]: true,
      [born.number]: noonMs,
      [nick.number]: "A",
      [home.number]: '{"city":"Bern","floor":2}',
      [homeCity.number]: "Bern",
      [homeFloor.number]: 2,
      [badges.number]: ["x", "y"],
    },
  }),
  userOf("set", { u: 2, a: "bob", p: { [level.number]: 7, [badges.number]: ["y"] } }),
  userOf("seen", { u: 3, d: "vc" }),
];

async function idsOf(store: EventStore, where: Predicate, projectId = 1): Promise<number[]> {
  const found = await collectUsers(store.selectUsers({ projectId, where, properties: [] }, noSignal()));
  return found.map(({ userId }) => Number(userId));
}

export function testSelection(create: CreateEventsWorld): void {
  describe("selection of users", () => {
    /** The tests only read. */
    let shared: OpenedStore;
    beforeAll(async () => {
      shared = await openStore(create);
      await shared.load({ events: [eventOf({ p: { [price.number]: 3 } })], users });
      const { store } = shared;
      await store.importCohort(
        { projectId: 1, name: "vip", kind: "cohort", day: "2026-01-01" },
        asyncOf([{ userId: 3n }]),
      );
      await store.importCohort(
        { projectId: 1, name: "vip", kind: "cohort", day: "2026-01-04" },
        asyncOf([{ userId: 2n }]),
      );
      await store.importCohort(
        { projectId: 1, name: "size", kind: "tag", day: "2026-01-04" },
        asyncOf([{ userId: 3n, value: "big" }]),
      );
    });
    afterAll(() => shared[Symbol.asyncDispose]());

    it.each<[string, Predicate, number[]]>([
      ["all", always, [1, 2, 3]],
      ["none", { kind: "always", value: false }, []],
      ["those with a number", is(of(level), 7), [2]],
      [
        "those with a number above",
        { kind: "compare", operator: ">", left: of(level), right: { kind: "number", value: 2 } },
        [1, 2],
      ],
      ["those without a number", isNull(of(level)), [3]],
      ["those whose number is another", not(is(of(level), 7)), [1, 3]],
      ["those with a text", is(of(nick), "A"), [1]],
      ["those whose flag is set", is(of(paying), true), [1]],
      ["those with an element", { kind: "hasElement", of: of(badges), values: ["y"] }, [1, 2]],
      ["those with a member of an object", is(of(homeCity), "Bern"), [1]],
      ["those with an account", not(isNull(builtin("user_account_id"))), [1, 2]],
      ["those of an account", is(builtin("account_id"), "bob"), [2]],
      ["those of a visitor", is(builtin("user_distinct_id"), "vc"), [3]],
      ["a user by id", is(builtin("user_id"), 2), [2]],
      ["members", vip, [2]],
      ["members of a day", { kind: "inCohort", cohort: { name: "vip", day: "2026-01-03" } }, [3]],
      ["no members", not(vip), [1, 3]],
      ["those with a tag", is(size, "big"), [3]],
      ["those without a tag", isNull(size), [1, 2]],
      ["those to whom two things apply", { kind: "and", of: [vip, is(of(level), 7)] }, [2]],
      ["those to whom one thing applies", { kind: "or", of: [is(size, "big"), is(of(level), 3)] }, [1, 3]],
      ["by what is of events, as if it had no value", isNull(of(price)), [1, 2, 3]],
      ["by events' times, as if there were none", not(isNull(builtin("event_time"))), []],
      ["by hostile texts", is(of(nick), `'; DROP TABLE "u1"; --`), []],
    ])("finds %s", async (_what, where, expected) => {
      expect(await idsOf(shared.store, where)).toEqual(expected);
    });

    it("returns ids and the requested properties", async () => {
      const selection: UserSelection = { projectId: 1, where: always, properties: [level, born, home] };
      expect(await collectUsers(shared.store.selectUsers(selection, noSignal()))).toEqual([
        {
          userId: 1n,
          accountId: "ada",
          distinctId: "va",
          properties: { level: 3, born: "2026-01-05 12:00:00.000", home: { city: "Bern", floor: 2 } },
        },
        { userId: 2n, accountId: "bob", distinctId: null, properties: { level: 7 } },
        { userId: 3n, accountId: null, distinctId: "vc", properties: {} },
      ]);
    });

    it.each<[Required<UserSelection>["ids"], Partial<StoredUser>]>([
      [[], {}],
      [["account_id"], { accountId: "ada" }],
      [["distinct_id"], { distinctId: "va" }],
    ])("returns the ids %j beside properties that are no texts", async (ids, expected) => {
      const selection = { projectId: 1, where: always, ids, properties: [level] };
      const [found] = await collectUsers(shared.store.selectUsers(selection, noSignal()));
      expect(found).toMatchObject({ userId: 1n, ...expected, properties: { level: 3 } });
    });

    it("returns each user once, however often it was loaded and is a member", async () => {
      await using opened = await openStore(create);
      const { store, load } = opened;
      await load({
        users: [userOf("seen", { u: 1, a: "ada", d: "va" }), userOf("seen", { u: 2, a: "bob" })],
      });
      await load({
        users: [userOf("seen", { u: 1, a: "ada", d: "vb" }), userOf("set", { u: 2, a: "bob", d: "va" })],
      });
      const members = [
        { userId: 1n, value: "big" },
        { accountId: "ada", value: "small" },
        { distinctId: "va" },
      ];
      const version = { projectId: 1, name: "size", kind: "tag", day: "2026-01-04" } as const;
      await store.importCohort(version, asyncOf(members));
      const where: Predicate = { kind: "or", of: [isNull(size), not(isNull(size))] };
      const selection: UserSelection = { projectId: 1, where, properties: [] };
      expect(await collectUsers(store.selectUsers(selection, noSignal()))).toEqual([
        { userId: 1n, accountId: "ada", distinctId: "vb", properties: {} },
        { userId: 2n, accountId: "bob", distinctId: "va", properties: {} },
      ]);
    });

    it("returns all properties by default", async () => {
      const [ada] = await collectUsers(shared.store.selectUsers({ projectId: 1, where: always }, noSignal()));
      expect(Object.keys(ada!.properties).sort()).toEqual(
        ["badges", "born", "home", "home.city", "home.floor", "level", "nick", "paying"].sort(),
      );
    });

    it("finds no users in a project without users", async () => {
      expect(await idsOf(shared.store, always, 9)).toEqual([]);
      expect(await idsOf(shared.store, is(of(level), 3), 9)).toEqual([]);
    });

    it("returns many users in the order of their ids, in chunks", async () => {
      await using opened = await openStore(create);
      const ids = Array.from({ length: 5_000 }, (_, at) => at + 1);
      await opened.load({ users: ids.toReversed().map((u) => userOf("seen", { u, a: `a${u}` })) });
      expect(await idsOf(opened.store, always)).toEqual(ids);
    });

    it("ends with the reason of its signal", async () => {
      const reason = new Error("enough");
      const selection: UserSelection = { projectId: 1, where: always };
      await expect(collectUsers(shared.store.selectUsers(selection, AbortSignal.abort(reason)))).rejects.toBe(
        reason,
      );
    });
  });
}
