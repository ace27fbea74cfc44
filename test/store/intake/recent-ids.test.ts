import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashId, IdTable } from "../../../store/intake/id-table.ts";
import { RecentIds } from "../../../store/intake/recent-ids.ts";

const id = fc.oneof(fc.constantFrom("", "a", "b", "ä", "😀", "a\u0000"), fc.string({ maxLength: 4 }));

describe("table of ids", () => {
  it("has the entries of a map, even when hashes are equal", () => {
    const step = fc.record({ key: id, hash: fc.constantFrom(1, 2, 1_025, 0xffff_ffff), value: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const [table, map] = [new IdTable(), new Map<string, number>()];
        const hashes = new Map(steps.map(({ key, hash }) => [key, hash]));
        for (const { key, value } of steps) {
          table.set(key, hashes.get(key)!, value);
          map.set(key, value);
        }
        expect([...hashes].map(([key, hash]) => table.get(key, hash))).toEqual(
          [...hashes.keys()].map((key) => map.get(key)),
        );
        expect(table.size).toBe(map.size);
        expect(table.get("not there", 1)).toBeUndefined();
      }),
    );
  });

  it("grows", () => {
    const table = new IdTable();
    const ids = Array.from({ length: 20_000 }, (_, at) => `id-${at}`);
    for (const [at, one] of ids.entries()) table.set(one, hashId(one), at * 2 ** 20);
    expect(ids.every((one, at) => table.get(one, hashId(one)) === at * 2 ** 20)).toBe(true);
    expect(table.size).toBe(20_000);
  });

  it("hashes texts to whole numbers from 1 to 2^32 - 1, the same each time", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const hash = hashId(text);
        expect(Number.isInteger(hash) && hash > 0 && hash < 2 ** 32).toBe(true);
        expect(hashId(`${text}`)).toBe(hash);
      }),
    );
  });
});

describe("recent ids", () => {
  it("are kept when they are used, and bounded in number", () => {
    const ids = new RecentIds(100);
    ids.set("kept", 7);
    for (let at = 0; at < 1_000; at++) {
      ids.set(`id-${at}`, at);
      expect(ids.get("kept")).toBe(7);
    }
    expect(ids.get("id-999")).toBe(999);
    expect(ids.get("id-0")).toBeUndefined();
    expect(ids.size).toBeLessThanOrEqual(101);
    expect(ids.hasDropped).toBe(true);
  });

  it("report that none was dropped until one was", () => {
    const ids = new RecentIds(100);
    for (let at = 0; at < 100; at++) ids.set(`id-${at}`, at);
    expect(ids.hasDropped).toBe(false);
    expect(ids.size).toBe(100);
    expect([ids.get("id-99"), ids.get("id-50")]).toEqual([99, 50]);
    for (let at = 100; at < 151; at++) ids.set(`id-${at}`, at);
    expect(ids.hasDropped).toBe(true);
  });
});
