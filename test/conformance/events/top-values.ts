import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CountedValue, Expression, TopValues, ValuesWanted } from "../../../store/events/events.ts";
import { at5, autumn, of, openScanned, utc } from "./scan-world.ts";
import {
  buy,
  type CreateEventsWorld,
  login,
  noSignal,
  type OpenedStore,
  properties,
  userOf,
} from "./world.ts";

const { price, city, at, gift, tags, items, itemName, level, badges, paying, homeCity } = properties;

export function testTopValues(create: CreateEventsWorld): void {
  describe("top values", () => {
    let opened: OpenedStore;
    beforeAll(async () => {
      opened = await openScanned(create);
      const changed = { [level.number]: 3, [badges.number]: ["x", "y", "x"] };
      await opened.load({ users: [userOf("set", { u: 2, p: changed })] });
    });
    afterAll(() => opened[Symbol.asyncDispose]());
    const top: Top = (wanted) => opened.store.topValues(wanted, noSignal());
    testValues(top);
    testUserValues(top);
  });
}

/** The first ten values of an expression. */
export function wantedOf(expression: Expression, more: Partial<ValuesWanted> = {}): ValuesWanted {
  return {
    projectId: 1,
    table: "event",
    of: expression,
    zone: utc,
    startMs: -Infinity,
    endMs: Infinity,
    events: undefined,
    limit: 10,
    ...more,
  };
}

type Top = (wanted: ValuesWanted) => Promise<TopValues>;

const pairsOf = (values: readonly CountedValue[]) => values.map(({ value, count }) => [value, count]);

function testValues(top: Top): void {
  it("are those of columns of every type", async () => {
    const ask = async (expression: Expression) => {
      const { values, count, withValue } = await top(wantedOf(expression));
      return [pairsOf(values), count, withValue];
    };
    expect(await ask(of(city))).toEqual([
      [
        ["Bern", 3],
        ["Oslo", 2],
      ],
      7,
      5,
    ]);
    expect(await ask(of(price))).toEqual([
      [
        [2.5, 1],
        [10, 1],
        [20, 1],
        [40, 1],
      ],
      7,
      4,
    ]);
    expect(await ask(of(gift))).toEqual([
      [
        [false, 1],
        [true, 1],
      ],
      7,
      2,
    ]);
    expect(await ask(of(tags))).toEqual([
      [
        ["b", 3],
        ["a", 2],
      ],
      7,
      3,
    ]);
    expect(await ask(of(itemName))).toEqual([
      [
        ["cap", 1],
        ["pen", 1],
      ],
      7,
      1,
    ]);
    const object = '[{"name":"pen","count":2},{"name":"cap"},{"name":"pen","count":2}]';
    expect(await ask(of(items))).toEqual([[[object, 1]], 7, 1]);
    expect(await ask({ kind: "builtin", name: "event_name" })).toEqual([
      [
        [buy.name, 5],
        [login.name, 2],
      ],
      7,
      7,
    ]);
    expect(await ask({ kind: "builtin", name: "user_id" })).toEqual([
      [
        [1, 4],
        [2, 2],
        [3, 1],
      ],
      7,
      7,
    ]);
    expect(await ask(of(level))).toEqual([[[3, 6]], 7, 6]);
    expect(await ask({ kind: "null" })).toEqual([[], 7, 0]);
    const texts = new Map([["Bern", "CH"]]);
    expect(await ask({ kind: "lookup", of: of(city), texts })).toEqual([[["CH", 3]], 7, 3]);
  });

  it("are times in the zone", async () => {
    const wanted = wantedOf({ kind: "local", of: of(at) }, { zone: autumn });
    const { values } = await top(wanted);
    expect(values.map(({ value, count }) => [Number(value), count])).toEqual([[at5(1, 0), 1]]);
  });

  it("are those of some events, days and beginnings", async () => {
    const ask = async (more: Partial<ValuesWanted>, expression = of(city)) => {
      const { values, count, withValue } = await top(wantedOf(expression, more));
      return [pairsOf(values), count, withValue];
    };
    expect(await ask({ events: [login.number] })).toEqual([[["Oslo", 1]], 2, 1]);
    expect(await ask({ events: [] })).toEqual([[], 0, 0]);
    expect(await ask({ startMs: at5(0, 2), endMs: at5(0, 23) })).toEqual([[["Oslo", 1]], 1, 1]);
    expect(await ask({ prefix: "O" })).toEqual([[["Oslo", 2]], 7, 5]);
    expect(await ask({ prefix: "o" })).toEqual([[], 7, 5]);
    expect(await ask({ prefix: "%" })).toEqual([[], 7, 5]);
    expect(await ask({ prefix: "1" }, of(price))).toEqual([[], 7, 4]);
    const name: Expression = { kind: "builtin", name: "event_name" };
    expect(await ask({ prefix: "Lo" }, name)).toEqual([[[login.name, 2]], 7, 7]);
    expect(await ask({ projectId: 99 })).toEqual([[], 0, 0]);
  });

  it("are read page by page, ties by value", async () => {
    const found: unknown[] = [];
    for (let after: CountedValue | undefined; ; ) {
      const { values } = await top(wantedOf(of(price), { limit: 2, ...(after && { after }) }));
      if (values.length === 0) break;
      found.push(...values.map(({ value }) => value));
      after = values.at(-1);
    }
    expect(found).toEqual([2.5, 10, 20, 40]);
  });

  it.each<[string, Expression, CountedValue, unknown[]]>([
    ["a text", of(city), { value: "Bern", count: 3 }, ["Oslo"]],
    ["an element of lists", of(tags), { value: "b", count: 3 }, ["a"]],
    ["false", of(gift), { value: false, count: 1 }, [true]],
    ["an id", { kind: "builtin", name: "user_id" }, { value: 1, count: 4 }, [2, 3]],
    ["an event", { kind: "builtin", name: "event_name" }, { value: buy.name, count: 5 }, [login.name]],
    ["a removed event", { kind: "builtin", name: "event_name" }, { value: "gone", count: 3 }, [login.name]],
    ["a value that is not there", of(city), { value: "Cairo", count: 2 }, ["Oslo"]],
  ])("follow %s", async (_name, expression, after, expected) => {
    const { values } = await top(wantedOf(expression, { after }));
    expect(values.map(({ value }) => value)).toEqual(expected);
  });
}

function testUserValues(top: Top): void {
  it("of users count each once, as they are now", async () => {
    const ask = async (expression: Expression, more: Partial<ValuesWanted> = {}) => {
      const wanted = wantedOf(expression, { table: "user", ...more });
      const { values, count, withValue } = await top(wanted);
      return [pairsOf(values), count, withValue];
    };
    expect(await ask(of(level))).toEqual([[[3, 2]], 3, 2]);
    expect(await ask(of(badges))).toEqual([
      [
        ["x", 1],
        ["y", 1],
      ],
      3,
      1,
    ]);
    expect(await ask(of(homeCity), { prefix: "B" })).toEqual([[["Bern", 1]], 3, 1]);
    expect(await ask(of(paying))).toEqual([[[true, 1]], 3, 1]);
    expect(await ask({ kind: "builtin", name: "user_id" }, { limit: 2 })).toEqual([
      [
        [1, 1],
        [2, 1],
      ],
      3,
      3,
    ]);
    expect(await ask(of(price))).toEqual([[], 3, 0]);
    expect(await ask(of(level), { projectId: 99 })).toEqual([[], 0, 0]);
  });
}
