import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Counts, ElementOutcome, Inbox, Route, WorkItem } from "../../../store/inbox/inbox.ts";
import { casesOf } from "../../thorough.ts";
import { batchOf, indexesOf } from "./batches.ts";
import type { OpenWorld, World } from "./store.ts";

/** A sequence of operations, on channel and targets of its own; what it has seen; the expected counts. */
class Ledger {
  readonly world: World;
  readonly items: WorkItem[] = [];
  readonly settledTwice: string[] = [];
  readonly name: string;
  accepted = 0;
  readonly #done = new Set<string>();
  readonly #dead = new Set<string>();

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
  }

  get inbox(): Inbox {
    return this.world.inbox;
  }

  /** Names differ between the sequences that share a store. */
  own(name: string): string {
    return `${name} of ${this.name}`;
  }

  settle(deliveryId: string, kind: "done" | "dead"): void {
    if (this.#done.has(deliveryId) || this.#dead.has(deliveryId)) this.settledTwice.push(deliveryId);
    (kind === "done" ? this.#done : this.#dead).add(deliveryId);
  }

  revive(deliveryIds: readonly string[]): void {
    for (const id of deliveryIds) this.#dead.delete(id);
  }

  get books() {
    const [delivered, dead] = [this.#done.size, this.#dead.size];
    return { accepted: this.accepted, delivered, dead, pending: this.accepted - delivered - dead };
  }

  async readCounts(recount: boolean) {
    const counts = await this.inbox.counts({ recount });
    const mine = counts.filter(({ channel }) => channel === this.own("c"));
    const sum = (pick: (row: Counts) => number): number => mine.reduce((all, row) => all + pick(row), 0);
    return {
      accepted: sum((row) => row.accepted),
      delivered: sum((row) => row.delivered),
      dead: sum((row) => row.dead),
      pending: sum((row) => row.pending),
    };
  }

  async deadIds(): Promise<string[]> {
    const { items } = await this.inbox.deadLetters({ channel: this.own("c") }, { limit: 1000 });
    return items.map(({ deliveryId }) => deliveryId);
  }
}

type Step = (ledger: Ledger) => Promise<void>;

const targets = ["t", "u", "v"];
const outcomeKinds = ["done", "retry", "dead", "returned", "leave"] as const;
const pushIds = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 6 });
const pickedRoute = fc.record({
  target: fc.constantFrom(...targets),
  picks: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  ordered: fc.boolean(),
});

const acceptStep = fc
  .record({
    ids: pushIds,
    routes: fc.uniqueArray(pickedRoute, { maxLength: 3, selector: ({ target }) => target }),
    requestId: fc.option(fc.constantFrom("r1", "r2", "r3")),
  })
  .map(
    ({ ids, routes, requestId }): Step =>
      async (ledger) => {
        const picked = routes.map(({ target, picks, ordered }): Route & { indexes: number[] } => {
          const indexes = ids.flatMap((_id, index) => (picks[index] === true ? [index] : []));
          return { target: ledger.own(target), indexes, ordered };
        });
        const batch = batchOf(ids, { channel: ledger.own("c"), requestId, routes: picked });
        const { kind } = await ledger.inbox.accept(batch);
        const deliveries = picked.reduce((sum, { indexes }) => sum + indexes.length, 0);
        ledger.accepted += kind === "stored" ? deliveries : 0;
      },
  );

const leaseStep = fc
  .record({ target: fc.constantFrom(...targets), maxElements: fc.integer({ min: 1, max: 9 }) })
  .map(
    ({ target, maxElements }): Step =>
      async (ledger) => {
        const request = { target: ledger.own(target), maxElements, leaseMs: 100 };
        ledger.items.push(...(await ledger.inbox.lease(request)).items);
      },
  );

const settleStep = fc
  .record({
    which: fc.nat(),
    kinds: fc.array(fc.constantFrom(...outcomeKinds), { minLength: 6, maxLength: 6 }),
  })
  .map(
    ({ which, kinds }): Step =>
      async (ledger) => {
        const item = ledger.items[which % Math.max(1, ledger.items.length)];
        if (item === undefined) return;
        const notBeforeMs = ledger.world.clock.ms + 50;
        const outcomes = indexesOf(item).flatMap((index): ElementOutcome[] => {
          const kind = kinds[index]!;
          return kind === "leave" ? [] : [{ index, kind, reason: "why", notBeforeMs }];
        });
        const result = await ledger.inbox.settle(item.token, outcomes);
        if (result.kind === "stale") return;
        const ignored = new Set(result.ignored);
        for (const { index, kind } of outcomes) {
          if (ignored.has(index) || (kind !== "done" && kind !== "dead")) continue;
          ledger.settle(`${item.batchId}.${index}.${item.target}`, kind);
        }
      },
  );

const replayStep = fc
  .record({ nonce: fc.constantFrom("n1", "n2", "n3"), target: fc.option(fc.constantFrom(...targets)) })
  .map(
    ({ nonce, target }): Step =>
      async (ledger) => {
        const narrow = target === null ? {} : { target: ledger.own(target) };
        const before = await ledger.deadIds();
        await ledger.inbox.replay({ channel: ledger.own("c"), ...narrow }, { nonce: ledger.own(nonce) });
        const left = new Set(await ledger.deadIds());
        ledger.revive(before.filter((id) => !left.has(id)));
      },
  );

const waitStep = fc.integer({ min: 1, max: 120 }).map(
  (ms): Step =>
    async ({ world }) => {
      world.clock.ms += ms;
    },
);
const pruneStep = fc.constant<Step>(async ({ inbox }) => void (await inbox.prune()));

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: acceptStep },
    { weight: 8, arbitrary: leaseStep },
    { weight: 8, arbitrary: settleStep },
    { weight: 2, arbitrary: replayStep },
    { weight: 4, arbitrary: waitStep },
    { weight: 1, arbitrary: pruneStep },
  ),
  { minLength: 10, maxLength: 60 },
);

/** Leases and settles until nothing is left. */
async function drain(ledger: Ledger): Promise<void> {
  for (let idle = 0; idle < 2; ) {
    ledger.world.clock.ms += 200;
    const leases = await Promise.all(
      targets.map((target) =>
        ledger.inbox.lease({ target: ledger.own(target), maxElements: 100, leaseMs: 100 }),
      ),
    );
    const items = leases.flatMap((lease) => lease.items);
    for (const item of items) {
      const outcomes = indexesOf(item).map((index): ElementOutcome => ({ index, kind: "done" }));
      await ledger.inbox.settle(item.token, outcomes);
      for (const { deliveryId } of item.elements) ledger.settle(deliveryId, "done");
    }
    idle = items.length === 0 ? idle + 1 : 0;
  }
}

export function testCounts(open: OpenWorld): void {
  describe("counts", () => {
    it("balance after any sequence of operations, and every delivery is settled once", async () => {
      await using world = await open({ claimMs: 150, finishedMs: 150 });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          const ledger = new Ledger(world, `run ${++runs}`);
          for (const step of sequence) {
            await step(ledger);
            expect(await ledger.readCounts(false)).toEqual(ledger.books);
            expect(await ledger.readCounts(true)).toEqual(ledger.books);
          }
          await drain(ledger);
          expect(ledger.settledTwice).toEqual([]);
          expect(ledger.books.pending).toBe(0);
          expect(await ledger.readCounts(true)).toEqual(ledger.books);
        }),
        { numRuns: casesOf(50) },
      );
      const books = await world.inbox.counts({ recount: true });
      await world.reopen();
      expect(await world.inbox.counts()).toEqual(books);
    });
  });
}
