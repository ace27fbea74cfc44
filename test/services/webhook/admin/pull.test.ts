import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import type { LeasedBatch } from "../../../../gen/engage/webhook/v1/lease_pb.ts";
import { names } from "../delivery/harness.ts";
import { failure, openForEach, openService } from "./service.ts";

const { harness, service } = openForEach();

const done = { outcome: { case: "done" as const, value: {} } };
const dead = { outcome: { case: "dead" as const, value: { reason: "closed" } } };
const again = { outcome: { case: "retryAfter" as const, value: { reason: "busy" } } };

async function lease(request = {}): Promise<LeasedBatch[]> {
  return (await service().leaseMessages({ target: "x", ...request })).batches;
}

/** Waits for a call while time goes by. */
async function during<T>(call: Promise<T>): Promise<T> {
  let isDone = false;
  const ended = call.finally(() => {
    isDone = true;
  });
  await harness().clock.until(() => isDone);
  return await ended;
}

describe("LeaseMessages", () => {
  it("hands messages out, each to one caller at a time", async () => {
    await harness().accept(names(5), ["x"]);
    const [batch] = await lease({ maxMessages: 3, lease: { seconds: 60n } });
    expect(batch?.batch).toMatchObject({ channel: "mail", target: "x", attempt: 1 });
    expect(batch?.batch?.messages.map(({ pushId, index }) => [pushId, index])).toEqual([
      ["u0", 1],
      ["u1", 2],
      ["u2", 3],
    ]);
    expect(timestampMs(batch!.leaseEndTime!)).toBe(harness().clock.now() + 60_000);
    const [rest] = await lease();
    expect(rest?.batch?.messages.map(({ pushId }) => pushId)).toEqual(["u3", "u4"]);
    expect(await lease()).toEqual([]);
  });

  it("hands out again what was not settled in time", async () => {
    await harness().accept(["a"], ["x"]);
    const [first] = await lease();
    await harness().clock.pass(30_001);
    const [second] = await lease();
    expect(second?.batch).toMatchObject({ attempt: 2 });
    const { settledCount, staleLeaseTokens } = await service().settleMessages({
      settlements: [{ leaseToken: first!.leaseToken, results: [{ index: 1, ...done }] }],
    });
    expect([settledCount, staleLeaseTokens]).toEqual([0, [first!.leaseToken]]);
  });

  it("waits until there are some", async () => {
    const call = service().leaseMessages({ target: "x", wait: { seconds: 60n } });
    await harness().clock.pass(5_000);
    await harness().accept(["a"], ["x"]);
    expect((await during(call)).batches).toHaveLength(1);
  });

  it("waits for a retry that is due", async () => {
    await harness().accept(["a"], ["x"]);
    const [batch] = await lease();
    await service().settleMessages({
      settlements: [{ leaseToken: batch!.leaseToken, results: [{ index: 1, ...again }] }],
    });
    const startMs = harness().clock.now();
    const { batches } = await during(service().leaseMessages({ target: "x", wait: { seconds: 60n } }));
    expect([batches.length, harness().clock.now() - startMs]).toEqual([1, 500]);
  });

  it("ends with nothing when the wait was in vain", async () => {
    const startMs = harness().clock.now();
    const { batches } = await during(service().leaseMessages({ target: "x", wait: { seconds: 20n } }));
    expect([batches.length, harness().clock.now() - startMs]).toEqual([0, 20_000]);
  });

  it("leases nothing when it is cancelled", async () => {
    const call = new AbortController();
    const waiting = service().leaseMessages({ target: "x", wait: { seconds: 60n } }, { signal: call.signal });
    const failed = failure(waiting);
    await harness().clock.pass(1_000);
    call.abort();
    expect((await failed).code).toBe(Code.Canceled);
    await harness().accept(["a"], ["x"]);
    await harness().clock.pass(1_000);
    const [batch] = await lease();
    expect(batch?.batch).toMatchObject({ attempt: 1 });
  });

  it("lets messages die that were handed out too often", async () => {
    await harness().accept(["a"], ["x"]);
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await lease())[0]?.batch).toMatchObject({ attempt });
      await harness().clock.pass(30_001);
    }
    expect(await lease()).toEqual([]);
    expect((await service().listDeadLetters({})).deadLetters).toMatchObject([
      { pushId: "a", reason: "given up after 5 attempts: the last attempt had no result" },
    ]);
  });

  it.each<[string, object, Code, string]>([
    ["no target", { target: "" }, Code.InvalidArgument, "target is required"],
    ["an unknown target", { target: "z" }, Code.NotFound, 'there is no target "z", valid are "x"'],
    [
      "a target of another kind",
      { target: "pushed" },
      Code.FailedPrecondition,
      'target "pushed" is not of kind pull',
    ],
    [
      "too many messages",
      { maxMessages: 501 },
      Code.InvalidArgument,
      "max_messages is 501, valid are 1 to 500",
    ],
    [
      "too short a lease",
      { lease: { nanos: 5_000_000 } },
      Code.InvalidArgument,
      "lease is 0.005 s, valid are 1 s to 12 h",
    ],
    ["too long a lease", { lease: { seconds: 43_201n } }, Code.InvalidArgument, "lease is 43201 s"],
    [
      "too long a wait",
      { wait: { seconds: 61n } },
      Code.InvalidArgument,
      "wait is 61 s, valid are 0 to 60 s",
    ],
  ])("refuses %s", async (_name, request, code, message) => {
    const error = await failure(lease(request));
    expect([error.code, error.rawMessage]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe("SettleMessages", () => {
  it("settles each message for itself", async () => {
    await harness().accept(names(4), ["x"]);
    const [batch] = await lease();
    const answer = await service().settleMessages({
      settlements: [
        {
          leaseToken: batch!.leaseToken,
          results: [
            { index: 1, ...done },
            { index: 2, ...dead },
            { index: 3, ...again },
            { index: 9, ...done },
          ],
        },
      ],
    });
    expect(answer).toMatchObject({ settledCount: 3, staleLeaseTokens: [] });
    expect(await harness().counts("x")).toEqual({ accepted: 4, delivered: 1, dead: 1, pending: 2 });
    const { deliveries } = await service().listDeliveries({});
    expect(deliveries.map(({ pushId, reason, state }) => [pushId, reason, state])).toEqual([
      ["u0", "", 3],
      ["u1", "closed", 4],
      ["u2", "busy", 1],
      ["u3", "", 2],
    ]);
  });

  it("leaves messages leased that it says nothing of", async () => {
    await harness().accept(names(2), ["x"]);
    const [batch] = await lease();
    const settle = (results: object[]) =>
      service().settleMessages({ settlements: [{ leaseToken: batch!.leaseToken, results }] });
    expect((await settle([{ index: 1, ...done }, { index: 2 }])).settledCount).toBe(1);
    expect((await settle([{ index: 2, ...done }])).settledCount).toBe(1);
  });

  it("lets messages die that were tried often enough", async () => {
    await harness().accept(["a"], ["x"]);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [batch] = await lease();
      await service().settleMessages({
        settlements: [{ leaseToken: batch!.leaseToken, results: [{ index: 1, ...again }] }],
      });
      await harness().clock.pass(60_000);
    }
    expect((await service().listDeadLetters({})).deadLetters).toMatchObject([
      { reason: "given up after 5 attempts: busy", attempts: 5 },
    ]);
  });

  it("settles for any replica", async () => {
    await harness().accept(["a"], ["x"]);
    const [batch] = await lease();
    const { settledCount } = await openService(harness()).settleMessages({
      settlements: [{ leaseToken: batch!.leaseToken, results: [{ index: 1, ...done }] }],
    });
    expect(settledCount).toBe(1);
  });

  it.each<[string, object[], string]>([
    ["a lease twice", [{ leaseToken: "a" }, { leaseToken: "a" }], 'settlements names "a" twice'],
    [
      "an index twice",
      [{ leaseToken: "a", results: [{ index: 1 }, { index: 1 }] }],
      "settlements[0].results names 1 twice",
    ],
    [
      "too many",
      Array.from({ length: 501 }, (_, at) => ({ leaseToken: `${at}` })),
      "settlements has 501 entries, at most 500 are valid",
    ],
  ])("refuses %s", async (_name, settlements, message) => {
    const error = await failure(service().settleMessages({ settlements }));
    expect([error.code, error.rawMessage]).toEqual([Code.InvalidArgument, message]);
  });

  it("tells tokens that it doesn't know", async () => {
    const tokens = ["", "nonsense", Buffer.from("[1,2]").toString("base64url")];
    const { staleLeaseTokens } = await service().settleMessages({
      settlements: tokens.map((leaseToken) => ({ leaseToken, results: [{ index: 1, ...done }] })),
    });
    expect(staleLeaseTokens).toEqual(tokens);
  });
});
