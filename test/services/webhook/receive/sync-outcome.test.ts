import { describe, expect, it } from "vitest";
import type { DeliverNow } from "../../../../services/webhook/receive/store-batch.ts";
import type { RouteOutcome } from "../../../../services/webhook/receive/sync-outcome.ts";
import { batchOf } from "../bodies.ts";
import { createMemoryInbox, type MemoryInbox } from "../memory-inbox.ts";
import { createRig } from "../receiver.ts";

const body = batchOf(["a", "b", "c"], "r1");
const answer = (target: string, delivered: number[], failed: Record<number, string> = {}): RouteOutcome => ({
  target,
  delivered,
  failed: Object.entries(failed).map(([index, reason]) => ({ index: Number(index), reason })),
});
const rig = (late: "queue" | "fail", deliverNow: DeliverNow, inbox?: MemoryInbox) =>
  createRig({ mode: "sync", sync: { timeoutMs: 700, late }, targets: ["t1", "t2"] }, { deliverNow }, inbox);
const late = 'target "t2" did not respond in time';

describe("what the targets answer", () => {
  const table: [
    what: string,
    late: "queue" | "fail",
    answers: RouteOutcome[],
    failList: [number, string][],
    results: unknown,
  ][] = [
    [
      "all delivered",
      "queue",
      [answer("t1", [0, 1, 2]), answer("t2", [2, 1, 0])],
      [],
      [
        { target: "t1", delivered: [0, 1, 2], pending: [], dead: [] },
        { target: "t2", delivered: [0, 1, 2], pending: [], dead: [] },
      ],
    ],
    [
      "one refused by one target: nothing more of it is delivered",
      "queue",
      [answer("t1", [0, 2], { 1: "no such role" }), answer("t2", [0])],
      [[2, "no such role"]],
      [
        { target: "t1", delivered: [0, 2], pending: [], dead: [] },
        { target: "t2", delivered: [0], pending: [2], dead: [] },
      ],
    ],
    [
      "nothing in time, to be queued",
      "queue",
      [],
      [],
      [
        { target: "t1", delivered: [], pending: [0, 1, 2], dead: [] },
        { target: "t2", delivered: [], pending: [0, 1, 2], dead: [] },
      ],
    ],
    [
      "some in time, the rest to fail",
      "fail",
      [answer("t1", [0, 1, 2]), answer("t2", [1])],
      [
        [1, late],
        [3, late],
      ],
      [
        { target: "t1", delivered: [0, 1, 2], pending: [], dead: [] },
        { target: "t2", delivered: [1], pending: [], dead: [] },
      ],
    ],
    [
      "all refused",
      "fail",
      [answer("t1", [], { 0: "x", 1: "y", 2: "z" })],
      [
        [1, "x"],
        [2, "y"],
        [3, "z"],
      ],
      [
        { target: "t1", delivered: [], pending: [], dead: [] },
        { target: "t2", delivered: [], pending: [], dead: [] },
      ],
    ],
    [
      "answers that contradict themselves or name what was not asked",
      "queue",
      [answer("t1", [0, 7], { 0: "x", 9: "y" }), answer("t3", [0])],
      [],
      [
        { target: "t1", delivered: [0], pending: [1, 2], dead: [] },
        { target: "t2", delivered: [], pending: [0, 1, 2], dead: [] },
      ],
    ],
  ];
  it.each(table)("%s", async (_what, mode, answers, failList, results) => {
    const { send, inbox } = rig(mode, async () => answers);
    expect(JSON.parse((await send(body)) as string)).toEqual({
      return_code: 0,
      return_message: "success",
      data: { fail_list: failList.map(([index, message]) => ({ index, message })) },
    });
    expect(inbox.completions.get("b1")?.results).toEqual(results);
    expect(inbox.stored[0]).toMatchObject({ reply: null, ownerLeaseMs: 15_700 });
  });
});

describe("nothing answered, and not to be queued", () => {
  it("fails the batch and frees its id", async () => {
    let isAwake = false;
    const { send, inbox } = rig("fail", async () =>
      isAwake ? [answer("t1", [0, 1, 2]), answer("t2", [0, 1, 2])] : [],
    );
    expect(JSON.parse((await send(body)) as string)).toMatchObject({
      return_code: 1,
      return_message: "no target responded in time",
    });
    isAwake = true;
    expect(await send(body)).toContain('"return_code":0');
    expect([inbox.released, inbox.stored.length]).toEqual([["b1"], 2]);
  });
});

describe("the deliverer", () => {
  it("gets the batch and its time", async () => {
    const calls: unknown[] = [];
    const { send } = rig("queue", async (batch, timeoutMs) => {
      calls.push([batch.batchId, batch.channel, batch.elements.length, batch.routes.length, timeoutMs]);
      return [];
    });
    await send(body);
    expect(calls).toEqual([["b1", "demo", 3, 2, 700]]);
  });

  it("that fails is one that answers nothing", async () => {
    const { send, events } = rig("queue", () => Promise.reject(new Error("oops")));
    expect(await send(body)).toContain('"fail_list":[]');
    expect(events[0]).toEqual(["failed", "demo", "sync_delivery"]);
  });
});

describe("two replicas", () => {
  it("answer alike: the second waits for the first", async () => {
    const inbox = createMemoryInbox();
    const gate = Promise.withResolvers<readonly RouteOutcome[]>();
    const first = rig("queue", () => gate.promise, inbox).send(body);
    const second = rig("queue", () => Promise.reject(new Error("not asked")), inbox).send(body);
    gate.resolve([answer("t1", [0, 1], { 2: "no" })]);
    const replies = await Promise.all([first, second]);
    expect(replies[1]).toBe(replies[0]);
    expect(inbox.stored).toHaveLength(1);
  });

  it("the second takes over when the first frees the id", async () => {
    const inbox = createMemoryInbox();
    const gate = Promise.withResolvers<readonly RouteOutcome[]>();
    const first = rig("fail", () => gate.promise, inbox).send(body);
    const second = rig("fail", async () => [answer("t1", [0, 1, 2]), answer("t2", [0, 1, 2])], inbox).send(
      body,
    );
    gate.resolve([]);
    expect([await first, await second]).toEqual([
      expect.stringContaining('"return_code":1'),
      expect.stringContaining('"return_code":0'),
    ]);
  });

  it("the first that was overtaken answers as the other did", async () => {
    const inbox = createMemoryInbox();
    const taken = { ...inbox, complete: async () => ({ kind: "stale" as const }) };
    const { send } = rig("queue", async () => [], inbox);
    const overtaken = createRig(
      { mode: "sync", targets: ["t1", "t2"] },
      {
        inbox: taken,
        deliverNow: async (batch) => {
          await inbox.complete(batch.batchId, { reply: Buffer.from("theirs") });
          return [];
        },
      },
    );
    expect(await overtaken.send(body)).toBe("theirs");
    expect(await send(body)).toBe("theirs");
  });
});
