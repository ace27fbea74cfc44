import { expect, it } from "vitest";
import { slotOf } from "../../../store/intake/hash-slot.ts";

const count = 4_096;
const slots = 2 * count;
/** Spread by `Math.imul`, so that each case is the same in each run. */
const mix = (at: number) => Math.imul(at + 1, 0x9e3779b1) ^ (Math.imul(at + 1, 0x85ebca6b) >>> 15);

const crafted: readonly (readonly [string, (at: number) => readonly [number, number, number?, number?]])[] = [
  ["the same low bits in the first word of two", (at) => [mix(at) << 14, mix(at + count)]],
  ["the same low bits in each word of two", (at) => [mix(at) << 14, mix(at + count) << 14]],
  ["the same high bits in each word of two", (at) => [mix(at) >>> 14, mix(at + count) >>> 14]],
  ["the same first word of four", (at) => [7, mix(at), mix(at + count), mix(at + 2 * count)]],
  ["another last word of four only", (at) => [7, 8, 9, mix(at)]],
  ["the same sum of words", (at) => [mix(at), -mix(at), mix(at + count), -mix(at + count)]],
  ["the words of another in the other order", (at) => [mix(at), mix(at ^ 1)]],
];

it.each(crafted)("spreads hashes over the slots which have %s", (_name, hashOf) => {
  const table = new Set<number>();
  let probes = 0;
  for (let at = 0; at < count; at++) {
    const [w0, w1, w2, w3] = hashOf(at);
    let slot = slotOf(slots, w0 >>> 0, w1 >>> 0, (w2 ?? 0) >>> 0, (w3 ?? 0) >>> 0);
    while (table.has(slot)) [slot, probes] = [(slot + 1) % slots, probes + 1];
    table.add(slot);
  }
  // Random slots take half a probe more for each hash; the same slot for all takes 2,048.
  expect(probes).toBeLessThan(8 * count);
});

it("finds a slot in tables of each size", () => {
  for (let bits = 1; bits < 32; bits++) {
    const found = Array.from({ length: 64 }, (_, at) => slotOf(2 ** bits, mix(at) >>> 0, mix(at + 64) >>> 0));
    expect(found.every((slot) => slot >= 0 && slot < 2 ** bits)).toBe(true);
    expect(new Set(found).size).toBeGreaterThan(1);
  }
});
