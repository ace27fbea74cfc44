import { describe, expect, it } from "vitest";
import type { Attempt, AttemptRecord, ElementOutcome } from "../../../store/inbox/inbox.ts";
import { batchOf } from "./batches.ts";
import type { OpenWorld, World } from "./store.ts";

const lease = { target: "t", maxElements: 1000, leaseMs: 1000 };

/** Returns an attempt of these elements, one millisecond long for each number. */
function attemptOf(indexes: readonly number[], number: number): AttemptRecord {
  return {
    indexes,
    startedAtMs: 1_700_000_000_000 + number,
    durationMs: number + 0.5,
    outcome: "retry",
    reason: `HTTP 503: busy ${number}`,
    status: 503,
    answer: `busy ${number}`,
  };
}

/** Settles what is leased with the same outcome, and attempts with this number. */
async function settle(world: World, number: number, kind: "retry" | "dead" | "done"): Promise<void> {
  for (const { token, elements } of (await world.inbox.lease(lease)).items) {
    const indexes = elements.map(({ index }) => index);
    const outcomes = indexes.map((index): ElementOutcome => {
      if (kind === "done") return { index, kind };
      return { index, kind, reason: "busy", notBeforeMs: world.clock.ms };
    });
    await world.inbox.settle(token, outcomes, { attempts: [attemptOf(indexes, number)] });
  }
}

async function timelineOf(world: World, deliveryId: string): Promise<readonly Attempt[]> {
  return (await world.inbox.delivery(deliveryId))!.timeline;
}

async function numbersOf(world: World, deliveryId: string): Promise<readonly (string | number)[]> {
  const timeline = await timelineOf(world, deliveryId);
  return timeline.map((one) => (one.isBeforeReplay ? `${one.attempt} before` : one.attempt));
}

export function testTimeline(open: OpenWorld): void {
  describe("attempts", () => {
    it("are kept with the deliveries that they are of", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a", "b", "c"], { requestId: "r1" }));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      const done: AttemptRecord = {
        indexes: [2],
        startedAtMs: 1_700_000_000_009,
        durationMs: null,
        outcome: "done",
        reason: null,
        status: null,
        answer: null,
      };
      const retry = { kind: "retry", notBeforeMs: world.clock.ms, reason: "busy" } as const;
      await world.inbox.settle(token, [{ index: 2, kind: "done" }], { attempts: [done] });
      await world.inbox.settle(
        token,
        [
          { index: 0, ...retry },
          { index: 1, ...retry },
        ],
        {
          attempts: [attemptOf([0, 1], 1)],
        },
      );
      await settle(world, 2, "done");
      const { indexes: _all, ...first } = attemptOf([], 1);
      const { indexes: _both, ...second } = attemptOf([], 2);
      const { indexes: _one, ...third } = done;
      const retried = [
        { ...first, attempt: 1, isBeforeReplay: false },
        { ...second, attempt: 2, isBeforeReplay: false },
      ];
      const last = [{ ...third, attempt: 1, isBeforeReplay: false }];
      expect(await timelineOf(world, `${batchId}.0.t`)).toEqual(retried);
      expect(await timelineOf(world, `${batchId}.2.t`)).toEqual(last);
      const batch = await world.inbox.batch(batchId);
      expect(batch!.deliveries.map(({ timeline }) => timeline)).toEqual([retried, retried, last]);
    });

    it("are those of the target", async () => {
      await using world = await open();
      const routes = ["t", "u"].map((target) => ({ target, indexes: "all" as const }));
      const { batchId } = await world.inbox.accept(batchOf(["a"], { routes }));
      await settle(world, 1, "done");
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual([1]);
      expect(await numbersOf(world, `${batchId}.0.u`)).toEqual([]);
    });

    it("are written by settlements at the same time", async () => {
      await using world = await open();
      const ids = await Promise.all(
        Array.from({ length: 20 }, (_, i) => world.inbox.accept(batchOf([`p${i}`]))),
      );
      const { items } = await world.inbox.lease(lease);
      await Promise.all(
        items.map(({ token }) =>
          world.inbox.settle(token, [{ index: 0, kind: "done" }], { attempts: [attemptOf([0], 3)] }),
        ),
      );
      for (const { batchId } of ids) expect(await numbersOf(world, `${batchId}.0.t`)).toEqual([1]);
    });

    it("of a stale lease are not kept", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      world.clock.ms += 1_001;
      await world.inbox.lease(lease);
      const outcomes: ElementOutcome[] = [{ index: 0, kind: "done" }];
      const settled = await world.inbox.settle(token, outcomes, { attempts: [attemptOf([0], 1)] });
      expect(settled).toEqual({ kind: "stale" });
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual([]);
    });

    it("are the last 20", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      for (let number = 1; number <= 23; number++) await settle(world, number, "retry");
      const numbers = Array.from({ length: 20 }, (_, i) => i + 4);
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual(numbers);
    });

    it("remain for one replay", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      await settle(world, 1, "retry");
      await settle(world, 2, "dead");
      await world.inbox.replay({}, { nonce: "first" });
      await settle(world, 3, "dead");
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual(["1 before", "2 before", 1]);
      await world.inbox.replay({}, { nonce: "second" });
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual(["1 before"]);
      await settle(world, 4, "done");
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual(["1 before", 1]);
    });

    it("of a batch with a reply that waited are kept", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a", "b"], { requestId: "r1", reply: null }));
      const attempts = [{ ...attemptOf([0], 1), outcome: "done" as const }];
      const results = [{ target: "t", delivered: [0], pending: [1], dead: [], attempts }];
      await world.inbox.complete(batchId, { reply: Buffer.from("{}"), results });
      expect(await timelineOf(world, `${batchId}.0.t`)).toMatchObject([{ attempt: 1, outcome: "done" }]);
      expect(await numbersOf(world, `${batchId}.1.t`)).toEqual([]);
    });

    it("are deleted with their batch", async () => {
      await using world = await open({ finishedMs: 10 });
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      await settle(world, 1, "done");
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual([1]);
      await world.inbox.accept(batchOf(["b"]));
      await settle(world, 2, "done");
      world.clock.ms += 100;
      expect(await world.inbox.prune()).toMatchObject({ batches: 2 });
      await world.tamper("INSERT INTO {replays} SELECT 'attempts', COUNT(*), 0 FROM {attempts}");
      expect(await world.inbox.replay({}, { nonce: "attempts" })).toEqual({ count: 0 });
    });

    it("survive the end of their process", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      await settle(world, 1, "done");
      await world.reopen();
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual([1]);
    });

    it("which are damaged are omitted", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"]));
      await settle(world, 1, "done");
      await world.tamper("UPDATE {attempts} SET content = 'odd'");
      expect(await numbersOf(world, `${batchId}.0.t`)).toEqual([]);
    });
  });
}
