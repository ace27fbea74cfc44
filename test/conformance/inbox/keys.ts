import { describe, expect, it } from "vitest";
import type { Inbox } from "../../../store/inbox/inbox.ts";
import { batchOf, text } from "./batches.ts";

/** The part of an inbox that accepts batches and replies to repeated ones. */
export type KeyInbox = Pick<Inbox, "accept" | "awaitReply" | "complete" | "release">;

/** Opens an inbox in a fresh store. */
export type OpenKeys = () => Promise<AsyncDisposable & { readonly inbox: KeyInbox }>;

/** Tests which also the fakes pass that stand in for an inbox where batches are accepted. */
export function testKeys(open: OpenKeys): void {
  describe("a request id", () => {
    const begun = batchOf(["a"], { requestId: "r1", reply: null });

    it.each([
      ["another channel", { channel: "d", requestId: "r1" }],
      ["another id", { requestId: "r2" }],
      ["an id that differs in half a surrogate pair", { requestId: "r\ud801" }],
      ["no id", { requestId: null }],
    ])("takes the same body with %s as another batch", async (_name, changes) => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"], { requestId: "r1" }));
      await world.inbox.accept(batchOf(["a"], { requestId: "r\ud800" }));
      expect(await world.inbox.accept(batchOf(["a"], changes))).toMatchObject({ kind: "stored" });
    });

    it("gets the first reply again, and a conflict with another body", async () => {
      await using world = await open();
      const batch = batchOf(["a"], { requestId: "r1" });
      const { batchId } = await world.inbox.accept(batch);
      expect(await world.inbox.accept(batchOf(["b"], { requestId: "r1" }))).toEqual({
        kind: "conflict",
        batchId,
      });
      const again = await world.inbox.accept({ ...batch, reply: Buffer.from("another") });
      expect(again).toMatchObject({ kind: "duplicate", batchId });
      expect(text((again as { reply: Uint8Array }).reply)).toBe(text(batch.reply!));
    });

    it("is in flight until its batch is completed, which is so once", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(begun);
      expect(await world.inbox.accept(begun)).toEqual({ kind: "in_flight", batchId });
      const completion = { reply: Buffer.from("done") };
      expect(await world.inbox.complete(batchId, completion)).toEqual({ kind: "finished" });
      expect(await world.inbox.accept(begun)).toMatchObject({ kind: "duplicate", batchId });
      expect(await world.inbox.complete(batchId, completion)).toEqual({ kind: "stale" });
      expect(await world.inbox.release(batchId)).toEqual({ kind: "stale" });
    });

    it("is free after its batch was released, which is so once", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(begun);
      expect(await world.inbox.release(batchId)).toEqual({ kind: "finished" });
      expect(await world.inbox.release(batchId)).toEqual({ kind: "stale" });
      expect(await world.inbox.complete(batchId, { reply: Buffer.from("late") })).toEqual({ kind: "stale" });
      expect(await world.inbox.accept(batchOf(["b"], { requestId: "r1" }))).toMatchObject({ kind: "stored" });
    });

    it("keeps duplicates waiting until it has a reply", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(begun);
      const waiting = Array.from({ length: 20 }, () => world.inbox.awaitReply(batchId, 20_000));
      await world.inbox.complete(batchId, { reply: Buffer.from("the reply") });
      const replies = await Promise.all(waiting);
      expect(new Set(replies.map((reply) => text(reply!)))).toEqual(new Set(["the reply"]));
    });

    it("ends the wait of duplicates when there will be no reply", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(begun);
      const waiting = world.inbox.awaitReply(batchId, 20_000);
      await world.inbox.release(batchId);
      expect(await waiting).toBeNull();
      expect(await world.inbox.awaitReply("no batch", 20_000)).toBeNull();
    });

    it("ends the wait of duplicates on a signal", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(begun);
      const abort = new AbortController();
      const waiting = world.inbox.awaitReply(batchId, 20_000, { signal: abort.signal });
      abort.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow();
    });
  });
}
