import { describe, expect, it } from "vitest";
import { createDeliveryWatches } from "../../../../services/webhook/watch/watch.ts";
import type { AttemptRecord } from "../../../../store/inbox/inbox.ts";

const { signal } = new AbortController();
const now = (): number => 1_700_000_000_000;
const batch = { batchId: "b1", channel: "c", target: "t", attempt: 2 };
const record: AttemptRecord = {
  indexes: [0, 1],
  startedAtMs: 1_699_999_999_990,
  durationMs: 10,
  outcome: "retry",
  reason: "busy",
  status: 503,
  answer: "a long answer",
};

describe("watches of deliveries", () => {
  it("see accepted batches and attempts without answers", async () => {
    const watches = createDeliveryWatches({ now });
    watches.accepted("c", { batchId: "b0", accepted: 1, failed: 0 });
    using watch = watches.open({})!;
    watches.accepted("c", { batchId: "b1", accepted: 2, failed: 1 });
    watches.attempted(batch, [record, { ...record, outcome: "done", reason: null }]);
    const event = { atMs: now(), channel: "c", batchId: "b1" };
    const attempted = { ...record, answer: null, target: "t", attempt: 2 };
    expect(await watch.next(signal)).toEqual({
      items: [
        { ...event, accepted: { batchId: "b1", accepted: 2, failed: 1 } },
        { ...event, attempted },
        { ...event, attempted: { ...attempted, outcome: "done", reason: null } },
      ],
      skipped: 0,
    });
  });

  it("select by channel and target", async () => {
    const watches = createDeliveryWatches({ now });
    using ofChannel = watches.open({ channel: "d" })!;
    using ofTarget = watches.open({ target: "t" })!;
    watches.accepted("c", { batchId: "b1", accepted: 1, failed: 0 });
    watches.accepted("d", { batchId: "b2", accepted: 1, failed: 0 });
    watches.attempted(batch, [record]);
    watches.attempted({ ...batch, target: "u" }, [record]);
    const seen = async (watch: typeof ofChannel) =>
      (await watch.next(signal)).items.map(({ batchId, attempted }) => [batchId, attempted?.target]);
    expect(await seen(ofChannel)).toEqual([["b2", undefined]]);
    expect(await seen(ofTarget)).toEqual([["b1", "t"]]);
  });

  it.each([
    ["events", { maxEvents: 5 }, 5],
    ["bytes", { maxBytes: 3_000 }, 11],
  ])("which are slow skip what is beyond the number of %s", async (_name, limits, kept) => {
    const watches = createDeliveryWatches({ now, ...limits });
    using watch = watches.open({})!;
    for (let count = 0; count < 90; count++) {
      watches.accepted("c", { batchId: `b${count}`, accepted: 1, failed: 0 });
    }
    const { items, skipped } = await watch.next(signal);
    expect([items.length, skipped, items.at(-1)!.batchId]).toEqual([kept, 90 - kept, "b89"]);
  });

  it("are bounded in number", () => {
    const watches = createDeliveryWatches({ now, maxWatches: 1 });
    const first = watches.open({})!;
    expect(watches.open({})).toBeUndefined();
    first[Symbol.dispose]();
    using second = watches.open({});
    expect(second).toBeDefined();
  });
});
