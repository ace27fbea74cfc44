import { describe, expect, it } from "vitest";
import { outcomeOf } from "../../../../../services/channel/delivery/call/outcome.ts";
import { countSegments, encodeNote } from "../../../../../services/channel/delivery/prepare/segments.ts";
import type { ExchangeOutcome } from "../../../../../services/channel/exchange/exchange.ts";
import { judgeOutcome, type Validation } from "../../../../../services/channel/judge-reply/judge-reply.ts";
import type { LeasedBatch } from "../../../../../store/channels/channels.ts";

const unmasked = (text: string): string => text;
const plain = [{ groupId: "", language: "default" }];

function batchOf(retries: number): LeasedBatch {
  const body = Buffer.from('[{"push_id":"a"},{"push_id":"b"}]');
  const note = encodeNote([...plain, ...plain]);
  return {
    token: "t",
    untilMs: 0,
    runId: "t1",
    number: 0,
    requestId: "r",
    size: 2,
    readPayload: () => body,
    freePayload: () => {},
    note,
    attempts: retries + 1,
    retries,
  };
}

const answer = (status: number, text: string): ExchangeOutcome => ({
  kind: "response",
  status,
  text,
  headers: {},
  isTruncated: false,
});
const failure = (
  kind: "timeout" | "connection" | "cut" | "not_http" | "refused_address",
): ExchangeOutcome => ({ kind, message: kind });

/** Outcomes of the first and the third attempt of a channel with two retries: strict, then lenient. */
const table: readonly (readonly [string, ExchangeOutcome, string, string, string, string])[] = [
  ["all well", answer(200, '{"return_code":0}'), "succeeded", "succeeded", "succeeded", "succeeded"],
  ["a timeout", failure("timeout"), "retry", "failed", "retry", "failed"],
  ["a lost connection", failure("connection"), "retry", "failed", "retry", "failed"],
  ["a cut answer", failure("cut"), "retry", "failed", "retry", "failed"],
  ["no HTTP", failure("not_http"), "failed", "failed", "failed", "failed"],
  ["a private address", failure("refused_address"), "failed", "failed", "failed", "failed"],
  ["a return code of 1", answer(200, '{"return_code":1}'), "retry", "failed", "retry", "failed"],
  ["a return code of 7", answer(200, '{"return_code":7}'), "retry", "failed", "retry", "failed"],
  ["no body", answer(200, ""), "failed", "failed", "succeeded", "succeeded"],
  ["another form", answer(200, '{"code":0}'), "failed", "failed", "succeeded", "succeeded"],
  ["a wrong signature", answer(401, '{"return_code":1}'), "retry", "failed", "retry", "failed"],
  ["a page of a proxy", answer(404, "<html>"), "failed", "failed", "failed", "failed"],
  ["overload", answer(503, ""), "retry", "failed", "retry", "failed"],
  ["a redirect", answer(302, ""), "failed", "failed", "failed", "failed"],
];

describe("a batch", () => {
  it.each(table)("with %s", (_what, outcome, ...expected) => {
    const kindOf = (validation: Validation, retries: number) =>
      outcomeOf(judgeOutcome(outcome, 2, validation, unmasked), batchOf(retries), {
        retries: 2,
        retryIntervalMs: 5_000,
      }).kind;
    expect([kindOf("strict", 0), kindOf("strict", 2), kindOf("lenient", 0), kindOf("lenient", 2)]).toEqual(
      expected,
    );
  });

  it("is tried again after the interval, and never without retries", () => {
    const verdict = judgeOutcome(failure("timeout"), 2, "strict", unmasked);
    const rule = { retries: 1, retryIntervalMs: 5_000 };
    expect(outcomeOf(verdict, batchOf(0), rule)).toMatchObject({
      kind: "retry",
      afterMs: 5_000,
      reason: "timeout",
    });
    expect(outcomeOf(verdict, batchOf(0), { ...rule, retries: 0 })).toMatchObject({ kind: "failed" });
  });

  it("names who failed", () => {
    const text = '{"return_code":0,"data":{"fail_list":[{"index":2,"message":"gone"}]}}';
    const outcome = outcomeOf(judgeOutcome(answer(200, text), 2, "strict", unmasked), batchOf(0), {
      retries: 0,
      retryIntervalMs: 0,
    });
    expect(outcome).toEqual({
      kind: "succeeded",
      warnings: 0,
      failedItems: [{ index: 2, pushId: "b", message: "gone" }],
      segments: [{ groupId: "", language: "default", sent: 2, succeeded: 1 }],
    });
  });
});

describe("segments of a batch", () => {
  const note = encodeNote([
    { groupId: "A", language: "en" },
    { groupId: "B", language: "default" },
    { groupId: "A", language: "en" },
  ]);

  it.each([
    ["that has succeeded", [], [2, 2], [1, 1]],
    ["with failed messages", [0, 1], [2, 1], [1, 0]],
    ["that has failed", undefined, [2, 0], [1, 0]],
  ] as const)("%s are counted", (_what, failed, [a, aSucceeded], [b, bSucceeded]) => {
    expect(countSegments(note, 3, failed)).toEqual([
      { groupId: "A", language: "en", sent: a, succeeded: aSucceeded },
      { groupId: "B", language: "default", sent: b, succeeded: bSucceeded },
    ]);
  });
});
