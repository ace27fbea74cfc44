import { describe, expect, it } from "vitest";
import type { GroupKey, Measure } from "../../../store/events/events.ts";
import {
  always,
  ask,
  at5,
  byValues,
  count,
  equals,
  measureOf,
  of,
  type ScanWorld,
  scanOf,
  totals,
  userId,
  users,
} from "./scan-world.ts";
import { buy, eventOf, login, noSignal, properties } from "./world.ts";

const { price, city, at, gift, tags, itemName, itemCount, level } = properties;

/** Tests the keys that results are grouped by. */
export function testKeys(world: ScanWorld): void {
  describe("keys", () => {
    const days = (first: number, second: number, third: number) => ({
      totals: [first + second + third],
      cells: [[first, second, third]],
    });

    it.each<[string, GroupKey[], Record<string, ReturnType<typeof days>>]>([
      [
        "text",
        [byValues(city)],
        { '["Bern"]': days(2, 0, 1), '["Oslo"]': days(1, 1, 0), "[null]": days(0, 1, 1) },
      ],
      [
        "number",
        [byValues(price)],
        {
          "[10]": days(1, 0, 0),
          "[2.5]": days(1, 0, 0),
          "[40]": days(1, 0, 0),
          "[20]": days(0, 1, 0),
          "[null]": days(0, 1, 2),
        },
      ],
      [
        "boolean",
        [byValues(gift)],
        { "[true]": days(1, 0, 0), "[false]": days(1, 0, 0), "[null]": days(1, 2, 2) },
      ],
      ["time", [byValues(at)], { [`[${at5(0, 22)}]`]: days(0, 1, 0), "[null]": days(3, 1, 2) }],
      [
        "event name",
        [{ kind: "values", of: { kind: "builtin", name: "event_name" } }],
        { '["buy"]': days(3, 1, 1), '["Login"]': days(0, 1, 1) },
      ],
      [
        "user id",
        [{ kind: "values", of: userId }],
        { "[1]": days(2, 1, 1), "[2]": days(1, 1, 0), "[3]": days(0, 0, 1) },
      ],
      [
        "user property",
        [byValues(level)],
        { "[3]": days(2, 1, 1), "[7]": days(1, 1, 0), "[null]": days(0, 0, 1) },
      ],
      [
        "two columns",
        [byValues(city), byValues(gift)],
        {
          '["Bern",true]': days(1, 0, 0),
          '["Bern",false]': days(1, 0, 0),
          '["Bern",null]': days(0, 0, 1),
          '["Oslo",null]': days(1, 1, 0),
          "[null,null]": days(0, 1, 1),
        },
      ],
      ["list", [byValues(tags)], { '["a"]': days(2, 0, 0), '["b"]': days(3, 0, 0), "[null]": days(0, 2, 2) }],
      [
        "members of one group",
        [byValues(itemName), byValues(itemCount)],
        {
          '["pen",2]': days(0, 0, 1),
          '["cap",null]': days(0, 0, 1),
          "[null,null]": days(3, 2, 1),
        },
      ],
      ["a member with gaps", [byValues(itemCount)], { "[2]": days(0, 0, 1), "[null]": days(3, 2, 2) }],
      [
        "two lists",
        [byValues(tags), byValues(itemName)],
        {
          '["a",null]': days(2, 0, 0),
          '["b",null]': days(3, 0, 0),
          "[null,null]": days(0, 2, 1),
          '[null,"pen"]': days(0, 0, 1),
          '[null,"cap"]': days(0, 0, 1),
        },
      ],
      [
        "intervals",
        [{ kind: "intervals", of: of(price), boundaries: [2.5, 10, 40] }],
        {
          "[1]": days(1, 0, 0),
          "[2]": days(1, 1, 0),
          "[3]": days(1, 0, 0),
          "[null]": days(0, 1, 2),
        },
      ],
      [
        "intervals of times",
        [
          {
            kind: "intervals",
            of: { kind: "builtin", name: "event_time" },
            boundaries: [at5(0, 12), at5(1, 12)],
          },
        ],
        {
          "[0]": days(1, 0, 0),
          "[1]": days(2, 1, 0),
          "[2]": days(0, 1, 2),
        },
      ],
      [
        "intervals of a member of several, each once",
        [{ kind: "intervals", of: of(itemCount), boundaries: [1, 2] }],
        { "[2]": days(0, 0, 1), "[null]": days(3, 2, 2) },
      ],
      [
        "intervals beside another member",
        [byValues(itemName), { kind: "intervals", of: of(itemCount), boundaries: [3] }],
        {
          '["pen",0]': days(0, 0, 1),
          '["cap",null]': days(0, 0, 1),
          "[null,null]": days(3, 2, 1),
        },
      ],
      [
        "intervals of a list of texts",
        [{ kind: "intervals", of: of(tags), boundaries: [1] }],
        { "[null]": days(3, 2, 2) },
      ],
      [
        "predicate",
        [{ kind: "predicate", of: equals(gift, true) }],
        { "[true]": days(1, 0, 0), "[false]": days(2, 2, 2) },
      ],
      [
        "a property that nobody reported",
        [{ kind: "values", of: { kind: "null" } }],
        { "[null]": days(3, 2, 2) },
      ],
    ])("%s", async (_what, keys, groups) => {
      expect(await ask(world.store, scanOf({ keys }))).toEqual(groups);
    });

    it("give users, too, and several measures", async () => {
      const found = await ask(
        world.store,
        scanOf({
          keys: [byValues(tags)],
          measures: [users, count, measureOf({ kind: "sum", of: of(price) })],
        }),
      );
      expect(found).toEqual({
        '["a"]': {
          totals: [1, 2, 12.5],
          cells: [
            [1, 0, 0],
            [2, 0, 0],
            [12.5, NaN, NaN],
          ],
        },
        '["b"]': {
          totals: [2, 3, 52.5],
          cells: [
            [2, 0, 0],
            [3, 0, 0],
            [52.5, NaN, NaN],
          ],
        },
        "[null]": {
          totals: [3, 4, 20],
          cells: [
            [0, 2, 2],
            [0, 2, 2],
            [NaN, 20, NaN],
          ],
        },
      });
    });

    it("are kept apart whatever text they hold", async () => {
      await using store = await world.open();
      const names = [
        "'; DROP TABLE users; --",
        '"',
        "$1",
        "NULL",
        "\u0000",
        "bern",
        "😀",
        "{p1:String}",
        "a\nb",
      ];
      await store.load({ events: names.map((name) => eventOf({ p: { [city.number]: name } })) });
      const found = await totals(store.store, {
        keys: [byValues(city)],
        measures: [measureOf({ kind: "count" }, equals(city, ...names))],
      });
      expect(found).toEqual(Object.fromEntries(names.map((name) => [JSON.stringify([name]), 1])));
    });

    it("are null for an empty text in a list", async () => {
      await using store = await world.open();
      const lists = [["", "x", "x"], [""], ["x", "y"]];
      await store.load({
        events: lists.map((list) => eventOf({ p: { [tags.number]: list, [city.number]: "lists" } })),
      });
      const counted = (aggregate: Measure["aggregate"]) => measureOf(aggregate, equals(city, "lists"));
      const measures = [
        counted({ kind: "count" }),
        counted({ kind: "distinct", of: of(tags), as: "element" }),
      ];
      expect(await totals(store.store, { keys: [byValues(tags)], measures })).toEqual({
        "[null]": 2,
        '["x"]': 2,
        '["y"]': 1,
      });
      expect(await totals(store.store, { measures: measures.slice(1) })).toEqual({ "[]": 2 });
    });

    it("have nothing where only another measure met events of them", async () => {
      const measures = [
        measureOf({ kind: "count" }, always, [login.number]),
        measureOf({ kind: "distinct", of: userId, as: "value" }, always, [buy.number]),
        measureOf({ kind: "distinct", of: of(city), as: "value" }, equals(level, 7)),
      ];
      expect(await ask(world.store, scanOf({ measures, keys: [{ kind: "values", of: userId }] }))).toEqual({
        "[1]": {
          totals: [1, 1, 0],
          cells: [
            [0, 1, 0],
            [1, 0, 1],
            [0, 0, 0],
          ],
        },
        "[2]": {
          totals: [0, 1, 1],
          cells: [
            [0, 0, 0],
            [1, 1, 0],
            [1, 0, 0],
          ],
        },
        "[3]": {
          totals: [1, 0, 0],
          cells: [
            [0, 0, 1],
            [0, 0, 0],
            [0, 0, 0],
          ],
        },
      });
    });

    it("answers cells of the groups that are asked for, in their order", async () => {
      await using result = await world.store.scan(scanOf({ keys: [byValues(city)] }), noSignal());
      const names = result.groups.keys.map(([name]) => name);
      const chosen = [names.indexOf("Oslo"), names.indexOf("Bern")];
      expect([...(await result.cells(chosen)).values[0]!]).toEqual([1, 1, 0, 2, 0, 1]);
      expect([...(await result.cells([])).values[0]!]).toEqual([]);
    });
  });
}
