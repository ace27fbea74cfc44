import { describe, expect, it } from "vitest";
import type { WatchFilter } from "../../../../services/event/watch/filter.ts";
import { createSampler, maxSampled, outcomeOf } from "../../../../services/event/watch/sample.ts";
import type { RecordOutcome } from "../../../../services/event/watch/seen-record.ts";
import { createRecordWatches, type RecordWatch } from "../../../../services/event/watch/watch.ts";

const { signal } = new AbortController();
const accepted: RecordOutcome = { verdict: "accepted", dropped: [] };
const everything: WatchFilter = { projectId: 1 };

function sampleOf(names: readonly string[], filters: readonly WatchFilter[] = [everything], projectId = 1) {
  const sampler = createSampler(filters)!;
  for (const name of names) {
    const record = { "#type": "track", "#event_name": name };
    sampler.add({ projectId, receivedMs: 5, appid: "a", record }, accepted);
  }
  return sampler.close();
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `e${i}`);

async function read(watch: RecordWatch) {
  const { items: records, skipped } = await watch.next(signal);
  return [records.map(({ eventName }) => eventName), skipped];
}

describe("watches", () => {
  it("see what is published after they were opened", async () => {
    const watches = createRecordWatches();
    using first = watches.open(everything)!;
    watches.publish(sampleOf(["a"]));
    using second = watches.open(everything)!;
    watches.publish(sampleOf(["b", "c"]));
    expect(await read(first)).toEqual([["a", "b", "c"], 0]);
    expect(await read(second)).toEqual([["b", "c"], 0]);
    const waiting = read(first);
    watches.publish(sampleOf(["other"], [{ projectId: 2 }], 2));
    watches.publish(sampleOf(["d"]));
    expect(await waiting).toEqual([["d"], 0]);
  });

  it("see the records that match their filter", async () => {
    const watches = createRecordWatches();
    const filter = { projectId: 1, eventNames: ["b"], appid: "a", verdicts: ["accepted"] } as const;
    using watch = watches.open(filter)!;
    using _other = watches.open({ projectId: 1, appid: "x" })!;
    using _third = watches.open({ projectId: 1, verdicts: ["refused"] })!;
    expect(watches.filters()).toHaveLength(3);
    watches.publish(sampleOf(["a", "b", "c"], watches.filters()));
    expect(await read(watch)).toEqual([["b"], 0]);
  });

  it("that read slowly skip what was overwritten, and are told how many", async () => {
    const watches = createRecordWatches({ maxRecords: 10, maxAtOnce: 4 });
    using slow = watches.open(everything)!;
    using fast = watches.open(everything)!;
    for (const name of numbered(25)) {
      watches.publish(sampleOf([name]));
      expect(await read(fast)).toEqual([[name], 0]);
    }
    expect(await read(slow)).toEqual([["e15", "e16", "e17", "e18"], 15]);
    watches.publish(sampleOf(numbered(9)));
    expect(await read(slow)).toEqual([["e24", "e0", "e1", "e2"], 5]);
  });

  it("keep a number of bytes", async () => {
    const watches = createRecordWatches({ maxBytes: 5_000 });
    using watch = watches.open(everything)!;
    watches.publish(sampleOf(numbered(100)));
    const { items: records, skipped } = await watch.next(signal);
    expect(records.length).toBeGreaterThan(5);
    expect(records.length).toBeLessThan(20);
    expect(records.length + skipped).toBe(100);
  });

  it("skip what a batch leaves out", async () => {
    const watches = createRecordWatches({ maxAtOnce: 10_000 });
    using watch = watches.open(everything)!;
    watches.publish(sampleOf(numbered(maxSampled + 7)));
    watches.publish(sampleOf(["last"]));
    expect(await read(watch)).toEqual([[...numbered(maxSampled), "last"], 7]);
  });

  it("end with their signal", async () => {
    const watches = createRecordWatches();
    using watch = watches.open(everything)!;
    const caller = new AbortController();
    const waiting = watch.next(caller.signal);
    caller.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
  });

  it("are limited, and nothing is collected without one", () => {
    const watches = createRecordWatches({ maxWatches: 2 });
    expect(watches.filters()).toBeUndefined();
    const first = watches.open(everything)!;
    using _second = watches.open(everything)!;
    expect(watches.open(everything)).toBeUndefined();
    first[Symbol.dispose]();
    const third = watches.open(everything)!;
    expect(watches.filters()).toHaveLength(2);
    third[Symbol.dispose]();
    _second[Symbol.dispose]();
    expect(watches.filters()).toBeUndefined();
    expect(createSampler(watches.filters())).toBeUndefined();
  });
});

it.each([
  [{ kind: "refused", reason: "type", field: "#type", message: "m" }, { verdict: "refused" }],
  [{ kind: "event", dropped: [] }, { verdict: "accepted" }],
  [{ kind: "user", dropped: [{ name: "a", reason: "type" }] }, { verdict: "dropped" }],
  ["#uuid", { verdict: "repeated", repeatedId: "#uuid" }],
] as [Parameters<typeof outcomeOf>[0], object][])("the outcome of %j", (checked, outcome) => {
  expect(outcomeOf(checked)).toMatchObject(outcome);
});
