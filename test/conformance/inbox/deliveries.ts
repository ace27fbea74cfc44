import { describe, expect, it } from "vitest";
import type { Delivery, DeliveryFilter, ElementOutcome } from "../../../store/inbox/inbox.ts";
import { batchOf, text } from "./batches.ts";
import type { OpenWorld, World } from "./store.ts";

const lease = { target: "t", maxElements: 1000, leaseMs: 1000 };

async function listAll(world: World, filter: DeliveryFilter, limit = 1000): Promise<Delivery[]> {
  const found: Delivery[] = [];
  let after: string | undefined;
  do {
    const page = await world.inbox.deliveries(filter, { limit, ...(after === undefined ? {} : { after }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

/** A batch with one delivery in each state: delivered, retried, dead, leased. */
async function acceptEachState(world: World): Promise<string> {
  const { batchId } = await world.inbox.accept(batchOf(["a", "b", "c", "d"], { requestId: "r1" }));
  const { token } = (await world.inbox.lease(lease)).items[0]!;
  const outcomes: ElementOutcome[] = [
    { index: 0, kind: "done" },
    { index: 1, kind: "retry", notBeforeMs: world.clock.ms + 70, reason: "busy" },
    { index: 2, kind: "dead", reason: "no" },
  ];
  await world.inbox.settle(token, outcomes);
  return batchId;
}

export function testDeliveries(open: OpenWorld): void {
  describe("deliveries", () => {
    it("report the state of each element at each target", async () => {
      await using world = await open();
      const batchId = await acceptEachState(world);
      const known = { batchId, channel: "c", target: "t", requestId: "r1", acceptedAtMs: world.clock.ms };
      const states = [
        { state: "delivered", attempts: null, reason: null, dueAtMs: null },
        { state: "pending", attempts: 1, reason: "busy", dueAtMs: world.clock.ms + 70 },
        { state: "dead", attempts: 1, reason: "no", dueAtMs: null },
        { state: "leased", attempts: 0, reason: null, dueAtMs: world.clock.ms + 1000 },
      ];
      const expected = states.map((state, index) => {
        const deliveryId = `${batchId}.${index}.t`;
        return { ...known, deliveryId, index, pushId: "abcd"[index], ...state };
      });
      expect(await listAll(world, {})).toEqual(expected);
      for (const delivery of expected) {
        expect(await world.inbox.delivery(delivery.deliveryId)).toMatchObject(delivery);
      }
    });

    it("contain an element's bytes, whatever its state", async () => {
      await using world = await open();
      const batchId = await acceptEachState(world);
      const { body, elements } = batchOf(["a", "b", "c", "d"]);
      for (const { index, start, end, receiptStart, receiptEnd } of elements) {
        const found = await world.inbox.delivery(`${batchId}.${index}.t`);
        expect(text(found!.json)).toBe(text(body.subarray(start, end)));
        expect(text(found!.receipt)).toBe(text(body.subarray(receiptStart, receiptEnd)));
      }
    });

    it.each(["", "nonsense", "{id}.4.t", "{id}.0.u", "{id}.0.", "{id}", "{other}.0.t"])(
      "know nothing of %s",
      async (pattern) => {
        await using world = await open();
        const { batchId } = await world.inbox.accept(batchOf(["a"]));
        const other = `1${batchId.slice(1)}`;
        const deliveryId = pattern.replace("{id}", batchId).replace("{other}", other);
        expect(await world.inbox.delivery(deliveryId)).toBeNull();
      },
    );

    it("omit batches which were only begun", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"], { reply: null }));
      expect(await listAll(world, {})).toEqual([]);
      expect(await world.inbox.delivery(`${batchId}.0.t`)).toBeNull();
    });

    it("come newest batch first, then by element and target, in pages of any size", async () => {
      await using world = await open();
      const routes = ["u", "t"].map((target) => ({ target, indexes: "all" as const }));
      for (const id of ["a", "b", "c"]) {
        await world.inbox.accept(batchOf([id, `${id}2`], { routes }));
        world.clock.ms += 1;
      }
      const all = await listAll(world, {});
      const line = ({ pushId, target }: Delivery): string => `${pushId} ${target}`;
      const expected = [
        "c t",
        "c u",
        "c2 t",
        "c2 u",
        "b t",
        "b u",
        "b2 t",
        "b2 u",
        "a t",
        "a u",
        "a2 t",
        "a2 u",
      ];
      expect(all.map(line)).toEqual(expected);
      for (const limit of [1, 2, 3, 5, 11, 12]) {
        expect(await listAll(world, {}, limit)).toEqual(all);
      }
    });

    it("are found by all that is known about them", async () => {
      await using world = await open();
      const startMs = world.clock.ms;
      const first = await acceptEachState(world);
      world.clock.ms += 10;
      const routes = [{ target: "u", indexes: "all" as const }];
      await world.inbox.accept(batchOf(["a"], { channel: "d", requestId: "r2", routes }));
      const count = async (filter: DeliveryFilter): Promise<number> => (await listAll(world, filter)).length;
      expect(await count({})).toBe(5);
      expect(await count({ channel: "d" })).toBe(1);
      expect(await count({ target: "t" })).toBe(4);
      expect(await count({ pushId: "a" })).toBe(2);
      expect(await count({ batchId: first })).toBe(4);
      expect(await count({ batchId: "unknown" })).toBe(0);
      expect(await count({ requestId: "r2" })).toBe(1);
      expect(await count({ fromMs: startMs + 10 })).toBe(1);
      expect(await count({ toMs: startMs + 10 })).toBe(4);
      expect(await count({ state: "pending" })).toBe(2);
      expect(await count({ state: "pending", batchId: first })).toBe(1);
      expect(await count({ state: "leased" })).toBe(1);
      expect(await count({ state: "dead" })).toBe(1);
      expect(await count({ state: "delivered" })).toBe(1);
      expect(await count({ reason: "us" })).toBe(1);
      expect(await count({ reason: "o" })).toBe(1);
      expect(await count({ reason: "busy", target: "u" })).toBe(0);
      expect(await count({ reason: "busy", state: "dead" })).toBe(0);
      expect(await count({ reason: "no", state: "dead", requestId: "r1" })).toBe(1);
      expect(await count({ reason: "no", state: "dead", requestId: "r2" })).toBe(0);
      expect(await count({ state: "pending", channel: "d", fromMs: startMs + 10 })).toBe(1);
      expect(await count({ state: "pending", toMs: startMs + 10 })).toBe(1);
      expect(await count({ state: "pending", pushId: "a" })).toBe(1);
    });

    it("come newest batch first by the time of acceptance, also when the clock was set", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b"]));
      world.clock.setMs = -5_000;
      await world.inbox.accept(batchOf(["set back"]));
      world.clock.setMs = 5_000;
      await world.inbox.accept(batchOf(["set ahead"]));
      for (const limit of [1, 2, 3, 4]) {
        const ids = (await listAll(world, {}, limit)).map(({ pushId }) => pushId);
        expect(ids).toEqual(["set ahead", "a", "b", "set back"]);
      }
    });

    it.each(["a", "\u00e9", "\ud800x", "b\0c"])("are found by the push id %j", async (pushId) => {
      await using world = await open();
      await world.inbox.accept(batchOf(["other", pushId]));
      await world.inbox.accept(batchOf(["more", "\ud83d"]));
      await world.inbox.accept(batchOf([pushId, "\ud83d"]));
      expect((await listAll(world, { pushId })).map(({ index }) => index)).toEqual([0, 1]);
    });

    it("are all found among more batches than one page reads", async () => {
      await using world = await open();
      await Promise.all(Array.from({ length: 620 }, (_, i) => world.inbox.accept(batchOf([`p${i % 310}`]))));
      expect(await listAll(world, { pushId: "p5" })).toHaveLength(2);
      expect(await listAll(world, { state: "pending", channel: "x" })).toEqual([]);
      expect(new Set((await listAll(world, {}, 70)).map(({ deliveryId }) => deliveryId)).size).toBe(620);
    });

    it("are all found among more dead letters than one page reads", async () => {
      await using world = await open();
      const ids = Array.from({ length: 500 }, (_, i) => `p${i}`);
      for (let count = 0; count < 12; count++) await world.inbox.accept(batchOf(ids));
      for (let number = 1; number <= 12; number++) {
        const { items } = await world.inbox.lease({ ...lease, maxElements: 500 });
        for (const { token, elements } of items) {
          const outcomes = elements.map(
            ({ index }): ElementOutcome => ({ index, kind: "dead", reason: `reason ${number}.` }),
          );
          await world.inbox.settle(token, outcomes);
        }
      }
      expect(await listAll(world, { state: "dead", reason: "reason 1." })).toHaveLength(500);
      expect(await listAll(world, { reason: "reason 12." })).toHaveLength(500);
      const dead = await listAll(world, { state: "dead" }, 999);
      expect(new Set(dead.map(({ deliveryId }) => deliveryId)).size).toBe(6_000);
    });
  });
}
