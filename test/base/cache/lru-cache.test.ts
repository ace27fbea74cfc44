import fc from "fast-check";
import { expect, it } from "vitest";
import { LruCache } from "../../../base/cache/lru-cache.ts";

it("keeps the entries that were used last", () => {
  const cache = new LruCache<string, number>(2);
  for (const [i, key] of ["a", "b", "a", "c"].entries()) cache.set(key, i);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([2, undefined, 3]);
});

it("removes what was used longest ago when its size is exceeded", () => {
  const cache = new LruCache<string, string>(1_000);
  cache.set("a", "1", 456);
  cache.set("b", "2", 456);
  expect(cache.get("a")).toBe("1");
  cache.set("c", "3", 456);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual(["1", undefined, "3"]);
  expect(cache.size).toBe(912);
});

it("keeps what was read last, after what was read before it", () => {
  const cache = new LruCache<string, string>(2);
  for (const key of ["a", "b"]) cache.set(key, key);
  for (const key of ["a", "b"]) cache.get(key);
  cache.set("c", "c");
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([undefined, "b", "c"]);
});

it("keeps nothing larger than itself, and counts what it replaces", () => {
  const cache = new LruCache<string, string>(1_000);
  cache.set("a", "1", 456);
  cache.set("a", "2", 556);
  expect([cache.get("a"), cache.size]).toEqual(["2", 556]);
  cache.set("a", "3", 5_000);
  expect([cache.get("a"), cache.size]).toEqual([undefined, 0]);
});

it("holds nothing when it has no room", () => {
  const cache = new LruCache<string, string>(0);
  cache.set("a", "1");
  expect(cache.get("a")).toBeUndefined();
});

it("removes what exceeds a limit that has become smaller, also when it is only read", () => {
  let maxSize = 3;
  const cache = new LruCache<string, string>(() => maxSize);
  const fill = () => {
    for (const key of ["a", "b", "c"]) cache.set(key, key);
  };
  fill();
  maxSize = 1;
  expect([cache.get("c"), cache.size]).toEqual(["c", 1]);
  maxSize = 3;
  fill();
  maxSize = 2;
  cache.set("too large", "x", 3);
  expect(cache.size).toBe(2);
  maxSize = 0;
  expect([cache.get("c"), cache.size]).toEqual([undefined, 0]);
});

it("keeps the order of the last use, whatever is read, replaced and removed", () => {
  const use = fc.record({ key: fc.constantFrom("a", "b", "c", "d"), size: fc.integer({ min: 0, max: 4 }) });
  fc.assert(
    fc.property(fc.array(use, { maxLength: 40 }), (uses) => {
      const cache = new LruCache<string, number>(3);
      let held: { readonly key: string; readonly size: number }[] = [];
      const sum = () => held.reduce((total, { size }) => total + size, 0);
      // A size of 0 reads.
      for (const { key, size } of uses) {
        const known = held.find((one) => one.key === key);
        const used = size === 0 ? known : { key, size };
        held = held.filter((one) => one.key !== key);
        if (size === 0) expect(cache.get(key)).toBe(known?.size);
        else cache.set(key, size, size);
        if (used !== undefined && used.size <= 3) held.push(used);
        while (sum() > 3) held.shift();
        expect(cache.size).toBe(sum());
      }
      for (const { key, size } of held) expect(cache.get(key)).toBe(size);
    }),
  );
});
