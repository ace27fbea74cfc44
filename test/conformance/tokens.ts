import { describe, expect, it, vi } from "vitest";
import type { StoredToken, TokenStore } from "../../store/tokens/tokens.ts";

/** A store of tokens which several processes share. */
export interface TokensPlace {
  /** Opens the store as one more process. */
  open(): TokenStore;
}

const timeout = 30_000;
const ignore = (): void => {};

export function token(name: string, changes: Partial<StoredToken> = {}): StoredToken {
  return { name, sha256: "0a".repeat(32), projects: "*", created: "2026-01-02T03:04:05.678Z", ...changes };
}

/** Tests that every store of tokens must pass. */
export function describeTokens(makePlace: () => Promise<TokensPlace>): void {
  describe("a store of tokens", () => {
    it("is empty at first", async () => {
      await using tokens = (await makePlace()).open();
      expect(await tokens.list()).toEqual([]);
      expect(await tokens.remove("one")).toBe(false);
      using followed = await tokens.follow(ignore);
      expect(followed.current()).toEqual([]);
    });

    it("returns what was added, in this order", async () => {
      const place = await makePlace();
      await using tokens = place.open();
      const added = [
        token("zeta", { projects: [2, 1], rateLimit: { perSecond: 0.25, burst: 3 } }),
        token("alpha", { sha256: "ff".repeat(32) }),
        token("mid", { projects: [Number.MAX_SAFE_INTEGER] }),
      ];
      for (const one of added) expect(await tokens.add(one)).toBe(true);
      await using other = place.open();
      expect(await other.list()).toEqual(added);
    });

    it("keeps the first of two tokens with one name", async () => {
      await using tokens = (await makePlace()).open();
      await tokens.add(token("one", { projects: [1] }));
      expect(await tokens.add(token("one", { projects: [2] }))).toBe(false);
      expect(await tokens.list()).toEqual([token("one", { projects: [1] })]);
    });

    it("removes a token once, after which its name is free", async () => {
      await using tokens = (await makePlace()).open();
      await tokens.add(token("one"));
      await tokens.add(token("two"));
      expect([await tokens.remove("one"), await tokens.remove("one")]).toEqual([true, false]);
      expect(await tokens.add(token("one"))).toBe(true);
      expect((await tokens.list()).map(({ name }) => name)).toEqual(["two", "one"]);
    });

    it("shows the changes of other processes to those that follow", async () => {
      const place = await makePlace();
      await using tokens = place.open();
      await using other = place.open();
      await other.add(token("before"));
      using followed = await tokens.follow(ignore);
      expect(followed.current()).toEqual([token("before")]);
      await other.add(token("after"));
      await vi.waitFor(() => expect(followed.current()).toHaveLength(2), { timeout });
      await other.remove("before");
      await vi.waitFor(() => expect(followed.current()).toEqual([token("after")]), { timeout });
    });

    it("returns the same array until a change", async () => {
      const place = await makePlace();
      await using tokens = place.open();
      await tokens.add(token("one"));
      using followed = await tokens.follow(ignore);
      const before = followed.current();
      using later = await tokens.follow(ignore);
      await tokens.add(token("two"));
      await vi.waitFor(() => expect(later.current()).toHaveLength(2), { timeout });
      expect(before).toEqual([token("one")]);
      const after = later.current();
      expect(later.current()).toBe(after);
    });
  });
}
