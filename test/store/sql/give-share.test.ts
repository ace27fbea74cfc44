import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { giveShare, graceMs, type ShareRow } from "../../../store/sql/give-share.ts";

const leaseMs = 10_000;

/** A table of shares, as a store keeps it. */
class Shares {
  rows: readonly ShareRow[] = [];
  atMs = 0;

  ask(key: number, changes: { perSecond?: number; held?: number; wanted?: number } = {}) {
    const asked = { perSecond: 10, held: 0, wanted: 10, leaseMs, ...changes };
    const { share, own, changed, expired } = giveShare(this.rows, key, asked, this.atMs);
    const replaced = new Map([...changed, own].map((row) => [row.share_key, row]));
    const kept = this.rows.filter(
      ({ share_key }) => !expired.includes(share_key) && !replaced.has(share_key),
    );
    this.rows = [...kept, ...replaced.values()];
    return share;
  }
}

describe("the share of a process", () => {
  it("is the whole rate for a single process", () => {
    expect(new Shares().ask(1)).toEqual({ held: 10, fair: 10, total: 10 });
  });

  it("grows when another process releases some", () => {
    const shares = new Shares();
    shares.ask(1);
    expect(shares.ask(2)).toEqual({ held: 0, fair: 5, total: 10 });
    expect(shares.ask(1, { held: 10 })).toEqual({ held: 10, fair: 5, total: 10 });
    expect(shares.ask(1, { held: 5 })).toEqual({ held: 5, fair: 5, total: 5 });
    expect(shares.ask(2)).toEqual({ held: 5, fair: 5, total: 10 });
  });

  it("is what the process wants, and the rest goes to others", () => {
    const shares = new Shares();
    shares.ask(1, { wanted: 2 });
    shares.ask(2);
    expect(shares.ask(1, { wanted: 2, held: 2 })).toMatchObject({ held: 2, fair: 2 });
    expect(shares.ask(2)).toMatchObject({ held: 8, fair: 8 });
  });

  it("is even when no process wants all", () => {
    const shares = new Shares();
    shares.ask(1, { wanted: 3 });
    expect(shares.ask(2, { wanted: 1 })).toMatchObject({ fair: 4 });
    expect(shares.ask(1, { wanted: 3, held: 10 })).toMatchObject({ fair: 6 });
  });

  it("is the one request a second in turns", () => {
    const shares = new Shares();
    const fair = () => [1, 2].map((key) => shares.ask(key, { perSecond: 1, wanted: 1 }).fair);
    fair();
    expect(fair()).toEqual([0, 1]);
    shares.atMs += 60_000;
    fair();
    expect(fair()).toEqual([1, 0]);
  });

  it("follows the lowest limit of any process", () => {
    const shares = new Shares();
    shares.ask(1);
    expect(shares.ask(2, { perSecond: 4, wanted: 4 })).toEqual({ held: 0, fair: 2, total: 10 });
    expect(shares.ask(1, { held: 10 })).toMatchObject({ fair: 2, total: 10 });
    expect(shares.ask(1, { held: 2 })).toMatchObject({ held: 2, total: 2 });
    expect(shares.ask(2, { perSecond: 4, wanted: 4 })).toEqual({ held: 2, fair: 2, total: 4 });
  });

  it("counts for some seconds after the end of its lease", () => {
    const shares = new Shares();
    shares.ask(1);
    shares.atMs += leaseMs + graceMs - 1;
    expect(shares.ask(2)).toMatchObject({ held: 0, fair: 10 });
    shares.atMs += 1;
    expect(shares.ask(2)).toMatchObject({ held: 10, fair: 10, total: 10 });
  });

  it("is not restored when it was assigned to others in the meantime", () => {
    const shares = new Shares();
    shares.ask(1);
    shares.atMs += leaseMs + graceMs;
    shares.ask(2);
    expect(shares.ask(1, { held: 10 })).toMatchObject({ held: 0, fair: 5 });
  });

  it("ends in time although the clock was set back", () => {
    const shares = new Shares();
    shares.atMs = 3_600_000;
    shares.ask(1);
    shares.atMs = 0;
    shares.ask(2);
    shares.atMs = leaseMs + graceMs;
    expect(shares.ask(2)).toMatchObject({ held: 10 });
  });
});

const step = fc.record({
  key: fc.integer({ min: 1, max: 4 }),
  perSecond: fc.constantFrom(1, 7, 100),
  wanted: fc.integer({ min: 0, max: 100 }),
  /** The part of its share that it keeps. */
  kept: fc.double({ min: 0, max: 1, noNaN: true }),
  waitMs: fc.integer({ min: 0, max: 6_000 }),
});

it("never exceeds the rate together with the others, for any requests", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new Shares();
      const held = new Map<number, number>();
      for (const { key, perSecond, wanted, kept, waitMs } of steps) {
        shares.atMs += waitMs;
        const before = shares.rows.reduce((sum, row) => sum + row.held, 0);
        const share = shares.ask(key, {
          perSecond,
          wanted: Math.min(perSecond, wanted),
          held: Math.floor((held.get(key) ?? 0) * kept),
        });
        held.set(key, share.held);
        const total = shares.rows.reduce((sum, row) => sum + row.held, 0);
        expect(total).toBe(share.total);
        expect(total).toBeLessThanOrEqual(Math.max(before, perSecond));
        expect(share.fair).toBeLessThanOrEqual(perSecond);
      }
    }),
  );
});
