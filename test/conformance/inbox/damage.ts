import { describe, expect, it } from "vitest";
import { batchOf, pushIdsOf, text } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

const lease = { target: "t", maxElements: 100, leaseMs: 1000 };
/** Bytes that are no list of elements, no body, no hash and no reply of ours. */
const odd = "CAST(CAST('odd' AS TEXT) AS {bytes})";

export function testDamage(open: OpenWorld): void {
  describe("damage", () => {
    it.each([
      ["a changed body", "UPDATE {bodies} SET body = odd", "body differs from its checksum", ["a", "b"]],
      [
        "a changed list",
        "UPDATE {bodies} SET elements = odd",
        "elements differs from its checksum",
        ["", ""],
      ],
      ["a missing body", "DELETE FROM {bodies}", "body is missing", ["", ""]],
      [
        "a changed list of a version without checksums",
        "UPDATE {bodies} SET elements = odd, elements_crc = NULL, body_crc = NULL",
        "list of elements can't be read",
        ["", ""],
      ],
      ["a changed request id", "UPDATE {batches} SET request_id = 'odd'", "row of its batch", ["a", "b"]],
      ["changed indexes", "UPDATE {work} SET element_indexes = 'odd'", "what is to be delivered", ["", ""]],
      [
        "endless indexes",
        "UPDATE {work} SET element_indexes = '0-99999999'",
        "what is to be delivered",
        ["", ""],
      ],
      ["other indexes", "UPDATE {work} SET element_indexes = '5-6'", "can't be read", ["", ""]],
    ])("%s becomes dead letters, and holds up nothing", async (_name, change, reason, pushIds) => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a", "b"]));
      await world.tamper(change.replaceAll("= odd", `= ${odd}`));
      world.clock.ms += 1;
      await world.inbox.accept(batchOf(["c"]));
      expect(pushIdsOf((await world.inbox.lease(lease)).items)).toEqual(["c"]);
      const { items } = await world.inbox.deadLetters({ batchId }, { limit: 9 });
      expect(items.map((letter) => letter.pushId).toSorted()).toEqual(pushIds);
      expect(items.map((letter) => letter.reason)).toEqual([
        expect.stringMatching(`^damaged: .*${reason}`),
        expect.stringMatching(`^damaged: .*${reason}`),
      ]);
      expect(await world.inbox.counts({ recount: true })).toMatchObject([
        { accepted: 3, delivered: 0, dead: 2, pending: 1 },
      ]);
      expect(await world.inbox.deliveries({}, { limit: 100 })).toMatchObject({ next: null });
    });

    it("does not block the order", async () => {
      await using world = await open();
      const routes = [{ target: "t", indexes: "all" as const, ordered: true }];
      await world.inbox.accept(batchOf(["a"], { routes }));
      await world.tamper(`UPDATE {bodies} SET body = ${odd}`);
      await world.inbox.accept(batchOf(["a"], { routes }));
      const first = await world.inbox.lease(lease);
      const second = await world.inbox.lease(lease);
      expect(pushIdsOf([...first.items, ...second.items])).toEqual(["a"]);
    });

    it("keeps a damaged message from being shown and from being sent by a replay", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      await world.tamper(`UPDATE {bodies} SET body = ${odd}`);
      await world.inbox.lease(lease);
      expect(await world.inbox.delivery(`${batchId}.0.t`)).toBeNull();
      expect(await world.inbox.replay({}, { nonce: "n" })).toEqual({ count: 1 });
      expect(await world.inbox.lease(lease)).toMatchObject({ items: [] });
      expect((await world.inbox.deadLetters({}, { limit: 9 })).items).toHaveLength(1);
    });

    it("of routes does not prevent the replay of dead letters", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      await world.inbox.settle(token, [{ index: 0, kind: "dead", reason: "no" }]);
      await world.tamper("UPDATE {batches} SET routes = 'odd'");
      expect(await world.inbox.replay({}, { nonce: "n" })).toEqual({ count: 1 });
      expect(pushIdsOf((await world.inbox.lease(lease)).items)).toEqual(["a"]);
    });

    it("of a stored reply is repaired by the reply to the same body", async () => {
      await using world = await open();
      const batch = batchOf(["a"], { requestId: "r1" });
      await world.inbox.accept(batch);
      await world.tamper(`UPDATE {claims} SET reply = ${odd}`);
      const repeated = await world.inbox.accept(batch);
      expect(repeated).toMatchObject({ kind: "duplicate" });
      expect(text((repeated as { reply: Uint8Array }).reply)).toBe(text(batch.reply!));
    });

    it.each([
      ["few", 1],
      ["many", 5000],
    ])("of a stored body of %s elements keeps its key", async (_name, count) => {
      await using world = await open();
      const pushIds = Array.from({ length: count }, (_, at) => `p${at}`);
      const batch = batchOf(pushIds, { requestId: "r1" });
      const { batchId } = await world.inbox.accept(batch);
      await world.tamper(`UPDATE {bodies} SET body = ${odd}`);
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "duplicate", batchId });
      const other = batchOf(["x", ...pushIds], { requestId: "r1" });
      expect(await world.inbox.accept(other)).toEqual({ kind: "conflict", batchId });
    });

    it("of a stored checksum keeps the key, since the body itself is compared", async () => {
      await using world = await open();
      const pushIds = Array.from({ length: 5000 }, (_, at) => `p${at}`);
      const batch = batchOf(pushIds, { requestId: "r1" });
      const { batchId } = await world.inbox.accept(batch);
      await world.tamper("UPDATE {bodies} SET body_crc = 1");
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "duplicate", batchId });
      const other = batchOf(pushIds.toReversed(), { requestId: "r1" });
      expect(await world.inbox.accept(other)).toEqual({ kind: "conflict", batchId });
    });

    it.each(["body", "reply"])("of a stored %s keeps the key after the batch was deleted", async (what) => {
      await using world = await open({ claimMs: 9000, finishedMs: 2000, deadLetterMs: 3000 });
      const batch = batchOf(["a"], { requestId: "r1" });
      const { batchId } = await world.inbox.accept(batch);
      const { items } = await world.inbox.lease({ target: "t", maxElements: 1, leaseMs: 1000 });
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }]);
      await world.tamper(`UPDATE ${what === "body" ? "{bodies}" : "{claims}"} SET ${what} = ${odd}`);
      world.clock.ms += 2001;
      expect(await world.inbox.prune()).toMatchObject({ batches: 1 });
      const repeated = await world.inbox.accept(batch);
      expect(repeated).toMatchObject({ kind: "duplicate", batchId });
      expect(text((repeated as { reply: Uint8Array }).reply)).toBe(text(batch.reply!));
    });

    it("of a claim's hash makes the duplicate a new batch", async () => {
      await using world = await open();
      const batch = batchOf(["a"], { requestId: "r1" });
      await world.inbox.accept(batch);
      await world.tamper(`UPDATE {claims} SET sha256 = ${odd}`);
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "stored" });
    });
  });
}
