import { describe, expect, it } from "vitest";
import type { StoredUser, UserScan } from "../../../store/events/events.ts";
import { collectUsers } from "./collect-users.ts";
import {
  at5,
  byValues,
  equals,
  measureOf,
  of,
  type ScanWorld,
  scanOf,
  threeDays,
  usersOf,
} from "./scan-world.ts";
import { eventOf, noSignal, properties, userOf } from "./world.ts";

const { price, city, gift, tags, itemName, itemCount, level, home, homeCity } = properties;

/** Tests the lists of the users of a number. */
export function testScanUsers(world: ScanWorld): void {
  describe("users", () => {
    it.each<[string, Partial<UserScan>, number[]]>([
      ["of everything", {}, [1, 2, 3]],
      ["of a bucket", { bucket: 1 }, [1, 2]],
      ["of another bucket", { bucket: 2 }, [1, 3]],
      ["of no such bucket", { bucket: 3 }, []],
      ["of a group", { scan: scanOf({ keys: [byValues(city)] }), group: ["Oslo"] }, [1, 2]],
      [
        "of a group in a bucket",
        { scan: scanOf({ keys: [byValues(city)] }), group: ["Oslo"], bucket: 0 },
        [2],
      ],
      ["of no value", { scan: scanOf({ keys: [byValues(city)] }), group: [null] }, [2, 3]],
      ["of a hostile value", { scan: scanOf({ keys: [byValues(city)] }), group: ["' OR true --"] }, []],
      ["of another type", { scan: scanOf({ keys: [byValues(city)] }), group: [3] }, []],
      ["of a number", { scan: scanOf({ keys: [byValues(price)] }), group: [2.5] }, [1]],
      ["of a boolean", { scan: scanOf({ keys: [byValues(gift)] }), group: [false] }, [1]],
      ["of an element", { scan: scanOf({ keys: [byValues(tags)] }), group: ["b"] }, [1, 2]],
      [
        "of members",
        { scan: scanOf({ keys: [byValues(itemName), byValues(itemCount)] }), group: ["cap", null] },
        [1],
      ],
      [
        "of an interval",
        { scan: scanOf({ keys: [{ kind: "intervals", of: of(price), boundaries: [5, 15] }] }), group: [2] },
        [2],
      ],
      [
        "of an event",
        {
          scan: scanOf({ keys: [{ kind: "values", of: { kind: "builtin", name: "event_name" } }] }),
          group: ["Login"],
        },
        [1, 3],
      ],
      ["of a user property", { scan: scanOf({ keys: [byValues(level)] }), group: [7] }, [2]],
      [
        "of a measure",
        { scan: scanOf({ measures: [measureOf({ kind: "count" }, equals(gift, true))] }) },
        [1],
      ],
      [
        "of a window",
        {
          scan: scanOf({
            buckets: {
              ...threeDays,
              windows: [
                [at5(0, 0), at5(1, 0)],
                [at5(0, 23), at5(1, 1)],
              ],
            },
          }),
          bucket: 1,
        },
        [1, 2],
      ],
      ["of no measure", { scan: scanOf({ measures: [] }) }, []],
      ["of no project", { scan: scanOf({ projectId: 9 }) }, []],
    ])("%s", async (_what, more, expected) => {
      expect(await usersOf(world.store, { scan: scanOf(), group: [], ...more })).toEqual(expected);
    });

    it("come with what is known of them", async () => {
      expect(await collectUsers(world.store.users({ scan: scanOf(), group: [] }, noSignal()))).toEqual([
        {
          userId: 1n,
          accountId: "ada",
          distinctId: "va",
          properties: {
            level: 3,
            paying: true,
            home: { city: "Bern" },
            "home.city": "Bern",
            born: "2026-01-05 00:00:00.000",
          },
        },
        { userId: 2n, accountId: "bob", distinctId: null, properties: { level: 7 } },
        { userId: 3n, accountId: null, distinctId: "vc", properties: {} },
      ]);
    });

    it("come with texts of any length and script", async () => {
      const texts = [
        "",
        "ä",
        "twelve bytes",
        "thirteen byte",
        "上海".repeat(500),
        "😀\u0000\u001f",
        "ﾃ",
        `a "quoted" \\ text`,
      ];
      await using own = await world.open();
      const ids = texts.map((_, n) => n + 100);
      await own.load({
        events: ids.map((u) => eventOf({ t: at5(0, 1), u })),
        users: texts.map((text, n) =>
          userOf("set", {
            u: n + 100,
            a: `a${text}`,
            ...(n % 2 === 0 ? { d: `d${text}` } : {}),
            p: { [home.number]: JSON.stringify({ city: text }), [homeCity.number]: `${text}.` },
          }),
        ),
      });
      const scan = { scan: scanOf(), group: [], properties: [homeCity] };
      const found = await collectUsers(own.store.users(scan, noSignal()));
      expect(found.filter(({ userId }) => userId >= 100n)).toEqual(
        texts.map((text, n) => ({
          userId: BigInt(n + 100),
          accountId: `a${text}`,
          distinctId: n % 2 === 0 ? `d${text}` : null,
          properties: { "home.city": `${text}.` },
        })),
      );
    });

    it.each<[Required<UserScan>["ids"], Partial<StoredUser>]>([
      [[], {}],
      [["account_id"], { accountId: "ada" }],
      [["distinct_id"], { distinctId: "va" }],
    ])("come with the ids %j beside properties that are no texts", async (ids, expected) => {
      const scan = { scan: scanOf(), group: [], ids, properties: [level] };
      const [found] = await collectUsers(world.store.users(scan, noSignal()));
      expect(found).toMatchObject({ userId: 1n, ...expected, properties: { level: 3 } });
    });

    it("come with the properties that are asked for", async () => {
      const scan = { scan: scanOf(), group: [], properties: [level] };
      const found = await collectUsers(world.store.users(scan, noSignal()));
      expect(found.map((user) => ({ ...user.properties }))).toEqual([{ level: 3 }, { level: 7 }, {}]);
    });
  });
}
