import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExpiringUuidSet, hashText } from "../../../store/intake/expiring-uuid-set.ts";

describe("expiring set of uuids", () => {
  it("agrees with a map of all uuids", () => {
    const claim = fc.record({ uuid: fc.nat(60), afterMs: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(claim, { maxLength: 400 }), (claims) => {
        const uuids = new ExpiringUuidSet({ windowMs: 100, maxUuids: 1_000_000 });
        const latest = new Map<number, number>();
        let nowMs = 1_700_000_000_000;
        for (const { uuid, afterMs } of claims) {
          nowMs += afterMs;
          const before = latest.get(uuid) ?? Number.NEGATIVE_INFINITY;
          const isNew = nowMs - before >= 100;
          expect(uuids.claim(1, String(uuid), nowMs)).toBe(isNew);
          latest.set(uuid, isNew ? nowMs : before);
        }
      }),
    );
  });

  it("forgets what is older than the window, and stays small", () => {
    const uuids = new ExpiringUuidSet({ windowMs: 1_000, maxUuids: 1_000_000 });
    const claimed = Array.from({ length: 200_000 }, (_, i) => uuids.claim(1, `u${i}`, 1_000_000 + i));
    expect(claimed.includes(false)).toBe(false);
    expect(uuids.size).toBeLessThan(4_096);
    expect(uuids.forgotten).toBe(0);
    expect(uuids.claim(1, "u199500", 1_200_000)).toBe(false);
  });

  it("forgets the older half when there are too many, and counts them", () => {
    const uuids = new ExpiringUuidSet({ windowMs: 1_000_000, maxUuids: 10_000 });
    for (let i = 0; i < 50_000; i++) uuids.claim(1, `u${i}`, 1_000_000 + i);
    expect(uuids.size).toBeLessThan(25_000);
    expect(uuids.size + uuids.forgotten).toBe(50_000);
    expect(uuids.claim(1, "u49999", 1_050_000)).toBe(false);
    expect(uuids.claim(1, "u0", 1_050_000)).toBe(true);
  });

  it("accepts times which go back, and times long after the first one", () => {
    const uuids = new ExpiringUuidSet({ windowMs: 1_000, maxUuids: 10_000 });
    expect(uuids.claim(1, "a", 1_000_000)).toBe(true);
    expect(uuids.claim(1, "a", 999_500)).toBe(false);
    expect(uuids.claim(1, "b", 10_000)).toBe(true);
    expect(uuids.claim(1, "a", 10_000_000_000)).toBe(true);
    expect(uuids.claim(1, "a", 10_000_000_999)).toBe(false);
  });
});

describe("hash of a text", () => {
  it("differs for texts that differ little", () => {
    const seen = new Set<string>();
    const add = (seed: number, text: string): void => {
      const hash = { low: 0, high: 0 };
      hashText(seed, text, hash);
      seen.add(`${hash.low}:${hash.high}`);
    };
    for (let i = 0; i < 100_000; i++) add(1, `7f0c2a9e-0000-4000-8000-${String(i).padStart(12, "0")}`);
    for (let seed = 2; seed < 1_000; seed++) add(seed, "");
    for (let length = 1; length < 1_000; length++) add(1, "\u0000".repeat(length));
    expect(seen.size).toBe(100_000 + 998 + 999);
  });

  it("spreads over all bits", () => {
    const ones = new Array<number>(64).fill(0);
    const hash = { low: 0, high: 0 };
    for (let i = 0; i < 20_000; i++) {
      hashText(1, `user-${i}`, hash);
      for (let bit = 0; bit < 32; bit++) {
        ones[bit]! += (hash.low >>> bit) & 1;
        ones[bit + 32]! += (hash.high >>> bit) & 1;
      }
    }
    // Five standard deviations around one half.
    expect(ones.filter((count) => Math.abs(count - 10_000) > 354)).toEqual([]);
  });
});
