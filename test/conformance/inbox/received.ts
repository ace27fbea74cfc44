import { describe, expect, it } from "vitest";
import type { BatchAuth, BatchFilter, ElementOutcome, ReceivedBatch } from "../../../store/inbox/inbox.ts";
import { batchOf, text } from "./batches.ts";
import type { OpenWorld, World } from "./store.ts";

const lease = { target: "t", maxElements: 1000, leaseMs: 1000 };

async function listAll(world: World, filter: BatchFilter, limit = 1000): Promise<ReceivedBatch[]> {
  const found: ReceivedBatch[] = [];
  let after: string | undefined;
  do {
    const page = await world.inbox.batches(filter, { limit, ...(after === undefined ? {} : { after }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

async function idsOf(world: World, filter: BatchFilter): Promise<readonly (string | null)[]> {
  return (await listAll(world, filter)).map(({ requestId }) => requestId);
}

export function testReceived(open: OpenWorld): void {
  describe("batches", () => {
    it("are listed with the counts of each target", async () => {
      await using world = await open();
      const routes = [
        { target: "u", indexes: [1] },
        { target: "t", indexes: "all" as const },
        { target: "none", indexes: [] },
      ];
      const { batchId } = await world.inbox.accept(
        batchOf(["a", "b", "c", "d"], { requestId: "r1", routes }),
      );
      const outcomes: ElementOutcome[] = [
        { index: 0, kind: "done" },
        { index: 1, kind: "retry", notBeforeMs: world.clock.ms + 70, reason: "busy" },
        { index: 2, kind: "dead", reason: "no" },
      ];
      await world.inbox.settle((await world.inbox.lease(lease)).items[0]!.token, outcomes);
      expect(await listAll(world, {})).toEqual([
        {
          batchId,
          channel: "c",
          requestId: "r1",
          acceptedAtMs: world.clock.ms,
          bodyBytes: batchOf(["a", "b", "c", "d"]).body.length,
          targets: [
            { channel: "c", target: "t", accepted: 4, delivered: 1, dead: 1, pending: 2 },
            { channel: "c", target: "u", accepted: 1, delivered: 0, dead: 0, pending: 1 },
          ],
        },
      ]);
    });

    it("come newest first by the time of acceptance, in pages of any size", async () => {
      await using world = await open();
      for (const requestId of ["r1", "r2", "r3", "r4"]) {
        await world.inbox.accept(batchOf(["a"], { requestId }));
      }
      world.clock.setMs = -5_000;
      await world.inbox.accept(batchOf(["a"], { requestId: "set back" }));
      world.clock.setMs = 5_000;
      await world.inbox.accept(batchOf(["a"], { requestId: "set ahead" }));
      const all = await listAll(world, {});
      expect(all.map(({ requestId }) => requestId)).toEqual([
        "set ahead",
        "r4",
        "r3",
        "r2",
        "r1",
        "set back",
      ]);
      const ids = all.map(({ batchId }) => batchId);
      expect(ids).toEqual(ids.toSorted().toReversed());
      for (const limit of [1, 2, 3, 5, 6]) expect(await listAll(world, {}, limit)).toEqual(all);
    });

    it("are found by all that is known about them", async () => {
      await using world = await open();
      const startMs = world.clock.ms;
      await world.inbox.accept(batchOf(["a"], { requestId: "r1" }));
      world.clock.ms += 10;
      await world.inbox.accept(batchOf(["a"], { requestId: 'r"\0' }));
      await world.inbox.accept(batchOf(["a"], { requestId: "r1", channel: "d" }));
      await world.inbox.accept(batchOf(["b"], { channel: "d" }));
      expect(await idsOf(world, { channel: "d" })).toEqual([null, "r1"]);
      expect(await idsOf(world, { requestId: "r1" })).toEqual(["r1", "r1"]);
      expect(await idsOf(world, { requestId: 'r"\0' })).toEqual(['r"\0']);
      expect(await idsOf(world, { requestId: "r1", channel: "c" })).toEqual(["r1"]);
      expect(await idsOf(world, { fromMs: startMs + 10 })).toEqual([null, "r1", 'r"\0']);
      expect(await idsOf(world, { toMs: startMs + 10 })).toEqual(["r1"]);
      expect(await idsOf(world, { channel: "c", fromMs: startMs, toMs: startMs + 1 })).toEqual(["r1"]);
      expect(await idsOf(world, { channel: "x" })).toEqual([]);
    });

    const auths: readonly (readonly [string, BatchAuth | undefined])[] = [
      ["a signature", { scheme: "hmac-sha1", header: "x-signature", value: "Ab".repeat(20) }],
      ["a caller", { scheme: "caller" }],
      ["nothing", { scheme: "none" }],
      ["what is not known", undefined],
    ];
    it.each(auths)("contain the bytes, the reply and the deliveries, with %s", async (_name, auth) => {
      await using world = await open();
      const batch = batchOf(["a", "b"], auth === undefined ? {} : { auth });
      const { batchId } = await world.inbox.accept(batch);
      const found = await world.inbox.batch(batchId);
      const { items } = await world.inbox.deliveries({}, { limit: 9 });
      expect(found).toMatchObject({ batchId, damage: null, auth: auth ?? null, deliveries: items });
      expect(text(found!.body!)).toBe(text(batch.body));
      expect(text(found!.reply!)).toBe(text(batch.reply!));
    });

    it("keep these with an ordered route and with a key", async () => {
      await using world = await open();
      const auth = { scheme: "caller" } as const;
      const routes = [{ target: "t", indexes: "all" as const, ordered: true }];
      for (const changes of [{ routes }, { requestId: "r1" }]) {
        const { batchId } = await world.inbox.accept(batchOf(["a"], { auth, ...changes }));
        const found = await world.inbox.batch(batchId);
        expect(found!.auth).toEqual(auth);
        expect(text(found!.reply!)).toBe('{"return_code":0,"n":1}');
      }
    });

    it("are omitted until their reply is decided", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"], { requestId: "r1", reply: null }));
      expect(await listAll(world, {})).toEqual([]);
      expect(await world.inbox.batch(batchId)).toBeNull();
      await world.inbox.complete(batchId, { reply: Buffer.from("decided") });
      expect(await idsOf(world, {})).toEqual(["r1"]);
      expect(text((await world.inbox.batch(batchId))!.reply!)).toBe("decided");
    });

    it("of versions without replies have the one of their key", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"], { requestId: "r1" }));
      const other = await world.inbox.accept(batchOf(["b"]));
      await world.tamper("UPDATE {batches} SET reply = NULL, auth = NULL");
      expect(text((await world.inbox.batch(batchId))!.reply!)).toBe('{"return_code":0,"n":1}');
      expect(await world.inbox.batch(other.batchId)).toMatchObject({ reply: null, auth: null });
    });

    it("say what is damaged", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      await world.tamper("UPDATE {bodies} SET body = CAST(CAST('odd' AS TEXT) AS {bytes})");
      expect(await world.inbox.batch(batchId)).toMatchObject({
        body: null,
        damage: "damaged: the stored body differs from its checksum",
      });
      await world.tamper("DELETE FROM {bodies}");
      expect(await world.inbox.batch(batchId)).toMatchObject({
        body: null,
        damage: "damaged: the stored body is missing",
        bodyBytes: 0,
      });
      expect(await listAll(world, {})).toMatchObject([{ batchId, bodyBytes: 0 }]);
    });

    it.each(["", "nonsense", "other"])("know nothing of %s", async (id) => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      expect(await world.inbox.batch(id.replace("other", `1${batchId.slice(1)}`))).toBeNull();
    });

    it.each(["", "7", "a.b", "1.2.3"])("begin no page after %s", async (after) => {
      await using world = await open();
      const listed = world.inbox.batches({}, { limit: 1, after });
      await expect(listed).rejects.toMatchObject({ name: "PageCursorError" });
    });
  });
}
