import fc from "fast-check";
import { expect, it } from "vitest";
import { AnnouncedKeys } from "../../../../store/intake/postgres/announced.ts";
import { casesOf } from "../../../thorough.ts";

it("finds keys in any order, with any of them left out or used again", () => {
  const key = fc.integer({ min: 0, max: 60 }).map(String);
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 80 }),
      fc.array(key),
      fc.func(fc.boolean()),
      (keys, more, isUsed) => {
        const announced = new AnnouncedKeys(keys);
        for (const one of [...keys.filter((_key, at) => isUsed(at)), ...more, ...keys]) {
          const found = announced.find(one);
          expect(found === -1 ? undefined : keys[found]).toBe(keys.includes(one) ? one : undefined);
        }
      },
    ),
    { numRuns: casesOf(500) },
  );
});
