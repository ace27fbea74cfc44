import { describe, expect, it } from "vitest";
import { type DeadLetterFilter, type ElementOutcome, PageCursorError } from "../../../store/inbox/inbox.ts";
import { batchOf, indexesOf } from "./batches.ts";
import type { OpenWorld, World } from "./store.ts";

const lease = { target: "t", maxElements: 1000, leaseMs: 1000 };

/** Accepts a batch and lets all its elements die at the target. */
async function acceptAndBury(
  world: World,
  pushIds: string[],
  channel = "c",
  target = "t",
  requestId: string | null = null,
): Promise<string> {
  const routes = [{ target, indexes: "all" as const }];
  const { batchId } = await world.inbox.accept(batchOf(pushIds, { channel, routes, requestId }));
  const { items } = await world.inbox.lease({ ...lease, target });
  const dead = (index: number): ElementOutcome => ({ index, kind: "dead", reason: `no ${index}` });
  for (const item of items) await world.inbox.settle(item.token, indexesOf(item).map(dead));
  world.clock.ms += 10;
  return batchId;
}

export function testDeadLetters(open: OpenWorld): void {
  describe("dead letters", () => {
    it("are listed newest first, in pages", async () => {
      await using world = await open();
      const batchId = await acceptAndBury(world, ["a", "b", "c", "d", "e"]);
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const page = await world.inbox.deadLetters(
          {},
          { limit: 2, ...(after === undefined ? {} : { after }) },
        );
        pages.push(page.items.map(({ pushId }) => pushId));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(pages).toEqual([["e", "d"], ["c", "b"], ["a"]]);
      const { items } = await world.inbox.deadLetters({ pushId: "c" }, { limit: 10 });
      expect(items).toEqual([
        {
          deliveryId: `${batchId}.2.t`,
          batchId,
          channel: "c",
          target: "t",
          requestId: null,
          index: 2,
          pushId: "c",
          reason: "no 2",
          attempts: 1,
          acceptedAtMs: world.clock.ms - 10,
          diedAtMs: world.clock.ms - 10,
        },
      ]);
    });

    it("are found by all that is known about them", async () => {
      await using world = await open();
      const startMs = world.clock.ms;
      const first = await acceptAndBury(world, ["a", "b\0"]);
      await acceptAndBury(world, ["a"], "d");
      await acceptAndBury(world, ["a"], "c", "u");
      const count = async (filter: DeadLetterFilter): Promise<number> =>
        (await world.inbox.deadLetters(filter, { limit: 10 })).items.length;
      expect(await count({})).toBe(4);
      expect(await count({ channel: "c" })).toBe(3);
      expect(await count({ target: "u" })).toBe(1);
      expect(await count({ batchId: first })).toBe(2);
      expect(await count({ batchId: "unknown" })).toBe(0);
      expect(await count({ pushId: "b\0" })).toBe(1);
      expect(await count({ pushId: "a", channel: "c" })).toBe(2);
      expect(await count({ deliveryId: `${first}.1.t` })).toBe(1);
      expect(await count({ deliveryId: "unknown" })).toBe(0);
      expect(await count({ fromMs: startMs + 10 })).toBe(2);
      expect(await count({ toMs: startMs + 10 })).toBe(2);
      expect(await count({ reason: "no" })).toBe(4);
      expect(await count({ reason: "o 1" })).toBe(1);
      expect(await count({ reason: "o 0", channel: "c", target: "t" })).toBe(1);
      expect(await count({ reason: "%" })).toBe(0);
      expect(await count({ reason: "NO" })).toBe(0);
    });

    it("are found, counted and replayed by what is known of their batch", async () => {
      await using world = await open();
      const startMs = world.clock.ms;
      await acceptAndBury(world, ["a", "b"], "c", "t", "r\0 1");
      await acceptAndBury(world, ["a"], "d", "t", "r2");
      await acceptAndBury(world, ["c"]);
      const filters: readonly (readonly [DeadLetterFilter, number])[] = [
        [{ requestId: "r\0 1" }, 2],
        [{ requestId: "r2", channel: "d", reason: "no" }, 1],
        [{ requestId: "r2", channel: "c" }, 0],
        [{ requestId: "r" }, 0],
        [{ acceptedFromMs: startMs + 10 }, 2],
        [{ acceptedToMs: startMs + 10 }, 2],
        [{ acceptedFromMs: startMs + 10, acceptedToMs: startMs + 20, pushId: "a" }, 1],
      ];
      for (const [filter, count] of filters) {
        expect((await world.inbox.deadLetters(filter, { limit: 9 })).items).toHaveLength(count);
        expect(await world.inbox.replay(filter, { nonce: "n", dryRun: true })).toEqual({ count });
      }
      expect(await world.inbox.replay({ requestId: "r\0 1" }, { nonce: "n1" })).toEqual({ count: 2 });
      expect((await world.inbox.deadLetters({}, { limit: 9 })).items).toHaveLength(2);
    });

    it("are counted and replayed by a part of their reason", async () => {
      await using world = await open();
      const batchId = await acceptAndBury(world, ["a", "b", "c"]);
      const filter = { reason: "o 1", channel: "c" };
      expect(await world.inbox.replay(filter, { nonce: "n1", dryRun: true })).toEqual({ count: 1 });
      expect(await world.inbox.replay(filter, { nonce: "n1" })).toEqual({ count: 1 });
      expect(await world.inbox.delivery(`${batchId}.1.t`)).toMatchObject({ state: "pending" });
      expect((await world.inbox.deadLetters({}, { limit: 9 })).items).toHaveLength(2);
    });

    it("are listed from the oldest on, and found by their whole reason", async () => {
      await using world = await open();
      await acceptAndBury(world, ["a", "b", "c"]);
      const first = await world.inbox.deadLetters({}, { limit: 2, order: "oldest" });
      expect(first.items.map(({ pushId }) => pushId)).toEqual(["a", "b"]);
      const next = await world.inbox.deadLetters({}, { limit: 2, order: "oldest", after: first.next! });
      expect([next.items.map(({ pushId }) => pushId), next.next]).toEqual([["c"], null]);
      const found = async (wholeReason: string) =>
        (await world.inbox.deadLetters({ wholeReason }, { limit: 10 })).items.map(({ pushId }) => pushId);
      expect([await found("no 1"), await found("no"), await found("no\0")]).toEqual([["b"], [], []]);
    });

    it("are counted by channel, target and reason, with the newest of each", async () => {
      await using world = await open();
      expect(await world.inbox.deadLetterGroups()).toEqual({ groups: [], isComplete: true });
      const startMs = world.clock.ms;
      await acceptAndBury(world, ["a", "b"]);
      await acceptAndBury(world, ["c"]);
      await acceptAndBury(world, ["d"], "c", "u");
      const { groups, isComplete } = await world.inbox.deadLetterGroups();
      expect(isComplete).toBe(true);
      const times = { oldestMs: startMs, newestMs: startMs + 10 };
      expect(groups).toMatchObject([
        { channel: "c", target: "t", reason: "no 0", count: 2, ...times, example: { pushId: "c" } },
        { channel: "c", target: "u", reason: "no 0", count: 1, example: { pushId: "d" } },
        { channel: "c", target: "t", reason: "no 1", count: 1, example: { pushId: "b", attempts: 1 } },
      ]);
    });

    it("are counted and replayed some at a time, each once", async () => {
      await using world = await open();
      await acceptAndBury(world, ["a", "b", "c"]);
      await acceptAndBury(world, ["d"], "c", "u");
      const some = (after: string | null | undefined, nonce: string, dryRun = false) =>
        world.inbox.replay({ target: "t" }, { nonce, dryRun, limit: 2, ...(after && { after }) });
      const counted = await some(null, "n", true);
      expect(counted).toEqual({ count: 2, next: expect.any(String) });
      expect(await some(counted.next, "n", true)).toEqual({ count: 1, next: null });
      const first = await some(null, "n1");
      expect(first).toEqual(counted);
      const { items } = await world.inbox.lease(lease);
      expect(items.map(indexesOf)).toEqual([[0, 1]]);
      await world.inbox.settle(items[0]!.token, [{ index: 1, kind: "dead", reason: "again" }]);
      expect(await some(first.next, "n2")).toEqual({ count: 2, next: expect.any(String) });
      expect(await some(null, "n3")).toEqual({ count: 0, next: null });
      expect(await world.inbox.counts({ recount: true })).toMatchObject([
        { target: "t", dead: 0, pending: 3 },
        { target: "u", dead: 1, pending: 0 },
      ]);
      await expect(world.inbox.replay({}, { nonce: "n", limit: 0 })).rejects.toThrow("limit");
      await expect(some("nonsense", "n")).rejects.toBeInstanceOf(PageCursorError);
    });

    it("are replayed once per nonce", async () => {
      await using world = await open();
      await acceptAndBury(world, ["a", "b", "c"]);
      expect(await world.inbox.replay({ pushId: "b" }, { nonce: "n1", dryRun: true })).toEqual({ count: 1 });
      expect(await world.inbox.counts()).toMatchObject([{ dead: 3, pending: 0 }]);
      expect(await world.inbox.replay({ pushId: "b" }, { nonce: "n1" })).toEqual({ count: 1 });
      expect(await world.inbox.replay({}, { nonce: "n1" })).toEqual({ count: 1 });
      expect(await world.inbox.counts({ recount: true })).toMatchObject([
        { accepted: 3, dead: 2, pending: 1 },
      ]);
      const { items } = await world.inbox.lease(lease);
      expect(items).toMatchObject([{ attempt: 1, replay: "n1", lastReason: null }]);
      expect(items.map(indexesOf)).toEqual([[1]]);
      await world.inbox.settle(items[0]!.token, [{ index: 1, kind: "dead", reason: "again" }]);
      expect(await world.inbox.replay({}, { nonce: "n1" })).toEqual({ count: 1 });
      expect(await world.inbox.replay({}, { nonce: "n2" })).toEqual({ count: 3 });
      expect((await world.inbox.lease(lease)).items.map(indexesOf)).toEqual([[0, 1, 2]]);
    });

    it("are replayed once by concurrent callers", async () => {
      await using world = await open();
      await acceptAndBury(world, ["a", "b"]);
      const results = await Promise.all(
        Array.from({ length: 10 }, () => world.inbox.replay({}, { nonce: "n1" })),
      );
      expect(results).toEqual(Array.from({ length: 10 }, () => ({ count: 2 })));
      expect(await world.inbox.counts({ recount: true })).toMatchObject([{ dead: 0, pending: 2 }]);
    });

    it("notify about their replay", async () => {
      await using world = await open();
      await acceptAndBury(world, ["a"]);
      await acceptAndBury(world, ["a"], "c", "u");
      const heard: string[] = [];
      using _listening = world.inbox.onWork((target) => heard.push(target));
      await world.inbox.replay({}, { nonce: "n1" });
      expect(heard.toSorted()).toEqual(["t", "u"]);
    });

    it.each([
      ["limit", 0, undefined],
      ["limit", 1001, undefined],
      ["cursor", 10, "nonsense"],
    ])("refuse a bad %s", async (field, limit, after) => {
      await using world = await open();
      const page = { limit, ...(after === undefined ? {} : { after }) };
      await expect(world.inbox.deadLetters({}, page)).rejects.toThrow(field);
      await expect(world.inbox.deliveries({}, page)).rejects.toThrow(field);
    });

    it.each(["", "nonsense", "1' OR 1=1", "9".repeat(400)])(
      "know the page %j for a foreign one",
      async (after) => {
        await using world = await open();
        const page = { limit: 10, after };
        await expect(world.inbox.deadLetters({}, page)).rejects.toBeInstanceOf(PageCursorError);
        await expect(world.inbox.deliveries({}, page)).rejects.toBeInstanceOf(PageCursorError);
      },
    );

    it.each(["", "x".repeat(201), "a\0", "\ud800"])("refuse the nonce %j", async (nonce) => {
      await using world = await open();
      await expect(world.inbox.replay({}, { nonce })).rejects.toThrow("nonce");
    });
  });
}
