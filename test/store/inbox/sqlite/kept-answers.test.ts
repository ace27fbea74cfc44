import { expect, it } from "vitest";
import { KeptAnswers, type KeptExecutor } from "../../../../store/inbox/sqlite/kept-answers.ts";

type Call = readonly [name: string, ...args: unknown[]];

const nothing = { items: [], bodies: [], untilMs: 0, nextDueAtMs: null, damaged: 0 };
const unpruned = { batches: 0, claims: 0, deadLetters: 0, more: false };
const leaseOf = (target: string): Call => ["lease", { target, maxElements: 1 }];
const lease = leaseOf("t");
const counts: Call = ["counts", false];
const prune: Call = ["prune", { claimMs: 1 }];

/** An executor that returns the next of these results for each operation, and counts its calls. */
function openFake(results: Readonly<Record<string, readonly unknown[]>>) {
  const calls: string[] = [];
  const state = { gaps: 0 };
  const left = new Map(Object.entries(results).map(([name, all]) => [name, [...all]]));
  const call = async (name: string) => {
    calls.push(name);
    const result = left.get(name)?.shift();
    if (result instanceof Error) throw result;
    return result;
  };
  const executor = Object.assign(state, { call, async [Symbol.asyncDispose]() {} });
  const kept = new KeptAnswers(executor as unknown as KeptExecutor);
  const ask = (nowMs: number, [name, ...args]: Call, signal?: AbortSignal): Promise<unknown> =>
    kept.call(name as "counts", nowMs, args as never, signal);
  return { kept, calls, ask, state };
}

const due = { ...nothing, nextDueAtMs: 50 };
it.each<[string, Readonly<Record<string, readonly unknown[]>>, readonly [number, Call][], readonly string[]]>(
  [
    [
      "a lease of nothing",
      { lease: [nothing] },
      [
        [0, lease],
        [9, lease],
      ],
      ["lease"],
    ],
    [
      "a lease until work is due",
      { lease: [due, due] },
      [
        [0, lease],
        [49, lease],
        [50, lease],
      ],
      ["lease", "lease"],
    ],
    [
      "leases by target",
      { lease: [nothing, nothing] },
      [
        [0, lease],
        [0, leaseOf("u")],
        [0, lease],
      ],
      ["lease", "lease"],
    ],
    [
      "no lease of work",
      { lease: [{ ...nothing, items: [1] }, nothing] },
      [
        [0, lease],
        [0, lease],
      ],
      ["lease", "lease"],
    ],
    [
      "no lease of damaged work",
      { lease: [{ ...nothing, damaged: 1 }, nothing] },
      [
        [0, lease],
        [0, lease],
      ],
      ["lease", "lease"],
    ],
    [
      "nothing after a lease of work",
      { lease: [{ ...nothing, items: [1] }] },
      [
        [0, counts],
        [0, lease],
        [0, counts],
      ],
      ["counts", "lease", "counts"],
    ],
    [
      "counts by arguments",
      {},
      [
        [0, counts],
        [0, ["counts", true]],
        [0, counts],
      ],
      ["counts", "counts"],
    ],
    [
      "nothing after a change",
      {},
      [
        [0, counts],
        [0, ["accept"]],
        [0, counts],
      ],
      ["counts", "accept", "counts"],
    ],
    [
      "all after a listing",
      {},
      [
        [0, counts],
        [0, ["listBatches"]],
        [0, counts],
      ],
      ["counts", "listBatches"],
    ],
    [
      "that the clock was saved",
      {},
      [
        [0, ["saveClock", 1]],
        [0, ["saveClock", 2]],
      ],
      ["saveClock"],
    ],
    [
      "a prune of nothing until a row expires",
      {
        prune: [
          { result: unpruned, nextDueAtMs: 50 },
          { result: unpruned, nextDueAtMs: null },
        ],
      },
      [
        [0, prune],
        [49, prune],
        [50, prune],
        [99, prune],
      ],
      ["prune", "prune"],
    ],
    [
      "no prune with more to delete",
      {
        prune: [
          { result: { ...unpruned, more: true }, nextDueAtMs: 50 },
          { result: unpruned, nextDueAtMs: null },
        ],
      },
      [
        [0, prune],
        [0, prune],
      ],
      ["prune", "prune"],
    ],
    [
      "a prune by retention",
      {
        prune: [
          { result: unpruned, nextDueAtMs: 50 },
          { result: unpruned, nextDueAtMs: 50 },
        ],
      },
      [
        [0, prune],
        [0, ["prune", { claimMs: 2 }]],
      ],
      ["prune", "prune"],
    ],
  ],
)("keeps %s", async (_what, results, asked, called) => {
  const { ask, calls } = openFake(results);
  for (const [nowMs, call] of asked) await ask(nowMs, call);
  expect(calls).toEqual(called);
});

it("keeps no answer that was asked for before a change", async () => {
  const { ask, calls } = openFake({});
  await Promise.all([ask(0, counts), ask(0, ["accept"])]);
  await ask(0, counts);
  expect(calls).toEqual(["counts", "accept", "counts"]);
});

it("returns no kept answer while another operation may change something", async () => {
  const { ask, calls } = openFake({ lease: [{ ...nothing, items: [1] }] });
  await ask(0, counts);
  await Promise.all([ask(0, lease), ask(0, counts)]);
  expect(calls).toEqual(["counts", "lease", "counts"]);
});

it.each(["lease", "prune"])(
  "keeps nothing after a %s that fails, which may have changed something",
  async (name) => {
    const { ask, calls } = openFake({ [name]: [new Error("no reply")] });
    await ask(0, counts);
    await expect(ask(0, [name, { target: "t" }])).rejects.toThrow("no reply");
    await ask(0, counts);
    await ask(0, counts);
    expect(calls).toEqual(["counts", name, "counts"]);
  },
);

it("keeps nothing that another process may have changed", async () => {
  const { ask, calls, state } = openFake({});
  await ask(0, counts);
  state.gaps++;
  await ask(0, counts);
  await ask(0, counts);
  expect(calls).toEqual(["counts", "counts"]);
});

it("returns no kept answer to a call that is aborted, or after it was closed", async () => {
  const { kept, ask, calls } = openFake({});
  await ask(0, counts);
  const reason = new Error("enough");
  await expect(ask(0, counts, AbortSignal.abort(reason))).rejects.toBe(reason);
  await kept[Symbol.asyncDispose]();
  await ask(0, counts);
  expect(calls).toEqual(["counts", "counts"]);
});
