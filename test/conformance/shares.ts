import { describe, expect, it } from "vitest";
import type { RateShares } from "../../base/async/rate-shares.ts";

export interface SharesWorld extends AsyncDisposable {
  readonly clock: { ms: number };
  /** The shares of a rate; the same for the same name. */
  rate(name: string): Promise<RateShares>;
}

const leaseMs = 10_000;

/** Tests that every store of rate shares must pass. */
export function testShares(open: () => Promise<SharesWorld>): void {
  describe("shares of a rate", () => {
    it("never exceed the rate together, and are separate by rate", async () => {
      await using world = await open();
      const one = await world.rate("one");
      const asked = { perSecond: 10, wanted: 10, leaseMs };
      const first = await one.shareRate({ ...asked, held: 0 });
      expect(first).toMatchObject({ held: 10, fair: 10, total: 10 });
      const second = await one.shareRate({ ...asked, held: 0 });
      expect(second).toMatchObject({ held: 0, fair: 5, total: 10 });
      const { token } = first;
      expect(await one.shareRate({ ...asked, token, held: 6 })).toEqual({
        token,
        held: 6,
        fair: 5,
        total: 6,
      });
      expect(await one.shareRate({ ...asked, token: second.token, held: 0 })).toMatchObject({ held: 4 });
      const other = await world.rate("other");
      expect(await other.shareRate({ ...asked, held: 0 })).toMatchObject({ held: 10 });
    });

    it("go to others when nothing is held and wanted", async () => {
      await using world = await open();
      const rate = await world.rate("one");
      const asked = { perSecond: 10, leaseMs };
      const { token } = await rate.shareRate({ ...asked, held: 0, wanted: 10 });
      expect(await rate.shareRate({ ...asked, token, held: 10, wanted: 0 })).toMatchObject({ fair: 0 });
      await rate.shareRate({ ...asked, token, held: 0, wanted: 0 });
      expect(await rate.shareRate({ ...asked, held: 0, wanted: 10 })).toMatchObject({ held: 10 });
    });

    it("go to others some seconds after the end of the lease", async () => {
      await using world = await open();
      const rate = await world.rate("one");
      const asked = { perSecond: 10, wanted: 10, leaseMs };
      await rate.shareRate({ ...asked, held: 0 });
      world.clock.ms += leaseMs;
      const { token, ...share } = await rate.shareRate({ ...asked, held: 0 });
      expect(share).toEqual({ held: 0, fair: 10, total: 10, freeInMs: 2_600 });
      world.clock.ms += 5_000;
      expect(await rate.shareRate({ ...asked, token, held: 0 })).toMatchObject({ held: 10 });
    });

    it("go to others at once, or after a while, when they are released", async () => {
      await using world = await open();
      const rate = await world.rate("one");
      const asked = { perSecond: 10, wanted: 10, leaseMs };
      const first = await rate.shareRate({ ...asked, held: 0 });
      await rate.leaveRate(first.token, 0);
      const second = await rate.shareRate({ ...asked, held: 0 });
      expect(second).toMatchObject({ held: 10 });
      await rate.leaveRate(second.token, 500);
      world.clock.ms += 500;
      const third = await rate.shareRate({ ...asked, held: 0 });
      expect(third).toMatchObject({ held: 0, fair: 10 });
      world.clock.ms += 1_000;
      expect(await rate.shareRate({ ...asked, token: third.token, held: 0 })).toMatchObject({ held: 10 });
    });

    it.each([
      ["perSecond", { perSecond: 0 }],
      ["perSecond", { perSecond: 10_001 }],
      ["held", { held: -1 }],
      ["wanted", { wanted: 1.5 }],
      ["leaseMs", { leaseMs: 60_001 }],
      ["token", { token: "no token" }],
    ])("refuse a bad %s", async (field, changes) => {
      await using world = await open();
      const rate = await world.rate("one");
      const asked = { perSecond: 1, held: 0, wanted: 1, leaseMs, ...changes };
      await expect(rate.shareRate(asked)).rejects.toThrow(field);
    });
  });
}
