import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { rangeOf, ratesOf } from "../../console/src/chart/series.ts";
import {
  attentionTo,
  type Counts,
  lettersOf,
  stateOfTarget,
  totalsOf,
  type Watched,
} from "../../console/src/pages/overview/totals.ts";
import {
  DeadLetterKind,
  DeadLetterKindSummarySchema,
} from "../../gen/engage/operations/v1/dead_letters_pb.ts";

const mail: Counts = { channel: "demo", target: "mail", accepted: 9n, delivered: 9n, dead: 0n, pending: 0n };
const large = 9_007_199_254_740_993n;

test("totals are exact beyond the integers of a double", () => {
  const totals = totalsOf([mail, { ...mail, accepted: large, dead: 2n, pending: 3n }]);
  expect(totals).toEqual({ accepted: large + 9n, delivered: 18n, dead: 2n, pending: 3n });
});

test.each([
  ["dead", { dead: 1n, pending: 5n }],
  ["waiting", { pending: 5n }],
  ["good", {}],
  ["idle", { accepted: 0n, delivered: 0n }],
] as const)("a target is %s", (state, change) => {
  expect(stateOfTarget({ ...mail, ...change })).toBe(state);
});

describe("what needs attention", () => {
  const calm = { writable: true, oldestMs: undefined };
  const nothing: Watched = {
    inbox: calm,
    targets: [mail],
    down: [],
    unloadedMs: undefined,
    letters: [],
    refusedMs: [],
    nowMs: 100_000,
  };
  const down = [{ target: "mail", sinceMs: 99_000 }];
  const dead = [{ ...mail, dead: 3n }];
  test.each<[string, Partial<Watched>, readonly string[]]>([
    ["nothing", {}, []],
    [
      "nothing about what waits for seconds",
      { inbox: { ...calm, oldestMs: 90_000 }, unloadedMs: 90_000 },
      [],
    ],
    ["a message that waits for minutes", { inbox: { ...calm, oldestMs: 1_000 } }, ["waiting"]],
    ["records that wait for minutes", { unloadedMs: 1_000 }, ["lag"]],
    ["a target that is down", { down }, ["breaker"]],
    ["what was given up", { targets: dead }, ["dead"]],
    [
      "dead letters of today",
      { letters: [{ kind: "record", count: 2n, isAtLeast: false, newestMs: 99_000 }] },
      ["letters"],
    ],
    [
      "nothing about dead letters and refusals of before",
      {
        letters: [{ kind: "record", count: 2n, isAtLeast: false, newestMs: 99_000 }],
        refusedMs: [99_000],
        nowMs: 99_000 + 86_400_000,
      },
      [],
    ],
    ["requests that were refused today", { refusedMs: [99_000, 98_000] }, ["refused"]],
    ["what was given up, of an unknown inbox", { inbox: undefined, targets: dead }, ["dead"]],
    [
      "a full inbox first",
      { inbox: { writable: false, oldestMs: 1_000 }, targets: dead, down, unloadedMs: 1_000 },
      ["full", "breaker", "waiting", "lag", "dead"],
    ],
  ])("is %s", (_name, change, expected) => {
    expect(attentionTo({ ...nothing, ...change }).map(({ kind }) => kind)).toEqual(expected);
  });
});

test("dead letters of which not all are counted are at least as many", () => {
  const newestTime = { seconds: 99n };
  const kinds = [
    { kind: DeadLetterKind.WEBHOOK, count: 7n, complete: true, newestTime },
    { kind: DeadLetterKind.RECORD, count: 100_000n, complete: false, newestTime },
    { kind: DeadLetterKind.CLICK, count: 2n, complete: true, newestTime },
    { kind: DeadLetterKind.PARSER, count: 0n, complete: true },
  ].map((one) => create(DeadLetterKindSummarySchema, one));
  expect(lettersOf(kinds)).toEqual([
    { kind: "record", count: 100_000n, isAtLeast: true, newestMs: 99_000 },
    { kind: "click", count: 2n, isAtLeast: false, newestMs: 99_000 },
  ]);
});

describe("rates", () => {
  test("are what a counter gained a second", () => {
    const readings = [
      { ms: 0, count: 10 },
      { ms: 5_000, count: 20 },
      { ms: 7_000, count: 20 },
    ];
    expect(ratesOf(readings)).toEqual([2, 0]);
  });

  test("have a gap where the counter starts anew", () => {
    const readings = [
      { ms: 0, count: 10 },
      { ms: 1_000, count: 1 },
      { ms: 2_000, count: 3 },
    ];
    expect(ratesOf(readings)).toEqual([undefined, 2]);
  });

  test("have a range for the sentence about them, which leaves gaps out", () => {
    expect(rangeOf({ label: "a", values: [undefined, 3, 1, undefined, 2, undefined] })).toEqual({
      last: 2,
      low: 1,
      high: 3,
    });
    expect(rangeOf({ label: "a", values: [undefined] })).toBeUndefined();
  });
});
