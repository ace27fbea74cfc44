import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { MessageResultSchema } from "../../../../gen/engage/webhook/v1/batch_pb.ts";
import { RetryInfoSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import { createGrpcTarget, type GrpcTargetOptions } from "../../../../services/webhook/targets/grpc.ts";
import { testTarget } from "../../../conformance/target.ts";
import { handedBatch, messageJson } from "../handed.ts";
import { type Handle, type HandlerServer, openHandlerServer } from "./handler-server.ts";

const loopback = createOutbound({ allow: ["127.0.0.0/8"] });

function openTarget(url: string, changes: Partial<GrpcTargetOptions> = {}) {
  return createGrpcTarget({
    url,
    bearer: undefined,
    tls: {},
    maxMessages: 500,
    maxAnswerBytes: 65_536,
    outbound: loopback,
    ...changes,
  });
}

async function openRig() {
  const server = await openHandlerServer();
  const target = openTarget(server.url);
  const behaviours: Record<string, Handle> = {
    later: () => {
      throw new ConnectError("busy", Code.Unavailable);
    },
    never: () => {
      throw new ConnectError("no such thing", Code.InvalidArgument);
    },
    hang: () => new Promise(() => {}),
    flood: () => ({
      results: [{ index: 1, outcome: { case: "dead", value: { reason: "x".repeat(1_000_000) } } }],
    }),
  };
  return {
    target,
    behave(behaviour: string) {
      server.handle = behaviours[behaviour]!;
    },
    received: () =>
      server.batches.flatMap(({ messages }) =>
        messages.map(({ pushId, rawReceipt }) => ({ pushId, receipt: Buffer.from(rawReceipt).toString() })),
      ),
    goAway: server.stop,
    comeBack: server.start,
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

testTarget("grpc", openRig, ["later", "never", "hang", "flood"]);

let server: HandlerServer;
beforeEach(async () => {
  server = await openHandlerServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const { signal } = new AbortController();
const two = handedBatch([messageJson("a"), messageJson("b")]);

function result(index: number, outcome: Parameters<typeof create<typeof MessageResultSchema>>[1] = {}) {
  return create(MessageResultSchema, { index, ...outcome });
}

describe("results", () => {
  it.each<[string, ReturnType<typeof result>[], unknown[]]>([
    [
      "in any order",
      [
        result(2, { outcome: { case: "dead", value: { reason: " account\n closed" } } }),
        result(1, { outcome: { case: "done", value: {} } }),
      ],
      [{ kind: "done" }, { kind: "dead", reason: "account closed" }],
    ],
    [
      "with times",
      [
        result(1, {
          outcome: {
            case: "retryAfter",
            value: { delay: { seconds: 2n, nanos: 500_000_000 }, reason: "busy" },
          },
        }),
        result(2, { outcome: { case: "retryAfter", value: {} } }),
      ],
      [
        { kind: "retry", reason: "busy", afterMs: 2_500 },
        { kind: "retry", reason: "the target asked for another attempt", afterMs: undefined },
      ],
    ],
    [
      "that are not given, or without an outcome",
      [result(2)],
      Array.from({ length: 2 }, () => ({
        kind: "retry",
        reason: "the handler gave no result for the message",
      })),
    ],
    [
      "without a reason",
      [
        result(1, { outcome: { case: "dead", value: {} } }),
        result(2, { outcome: { case: "done", value: {} } }),
      ],
      [{ kind: "dead", reason: "the target gave no reason" }, { kind: "done" }],
    ],
    [
      "of an index twice",
      [
        result(1, { outcome: { case: "done", value: {} } }),
        result(1, { outcome: { case: "done", value: {} } }),
      ],
      Array.from({ length: 2 }, () => ({
        kind: "retry",
        reason: "the handler's response has one index twice",
      })),
    ],
    [
      "of an index that was not sent",
      [result(3, { outcome: { case: "done", value: {} } })],
      Array.from({ length: 2 }, () => ({
        kind: "retry",
        reason: "the handler's response has index 3, which the batch does not have",
      })),
    ],
  ])("%s", async (_name, results, expected) => {
    server.handle = () => ({ results });
    await using target = openTarget(server.url);
    expect(await target.deliver(two, signal)).toEqual(expected);
  });
});

describe("errors", () => {
  it.each([Code.InvalidArgument, Code.Unimplemented])("code %d: dead", async (code) => {
    server.handle = () => {
      throw new ConnectError("no", code);
    };
    await using target = openTarget(server.url);
    const dead = { kind: "dead", reason: `gRPC ${Code[code]}: no` };
    expect(await target.deliver(two, signal)).toEqual([dead, dead]);
  });

  it.each([
    Code.Unavailable,
    Code.Internal,
    Code.Unauthenticated,
    Code.ResourceExhausted,
    Code.DeadlineExceeded,
  ])("code %d: tried again", async (code) => {
    server.handle = () => {
      throw new ConnectError("no", code);
    };
    await using target = openTarget(server.url);
    const again = { kind: "retry", reason: `gRPC ${Code[code]}: no`, isTargetDown: true };
    expect(await target.deliver(two, signal)).toEqual([again, again]);
  });

  it("with RetryInfo say how long to wait", async () => {
    server.handle = () => {
      throw new ConnectError("busy", Code.Unavailable, undefined, [
        { desc: RetryInfoSchema, value: { retryDelay: { seconds: 7n, nanos: 0 } } },
      ]);
    };
    await using target = openTarget(server.url);
    const again = { kind: "retry", reason: "gRPC Unavailable: busy", afterMs: 7_000, isTargetDown: true };
    expect(await target.deliver(two, signal)).toEqual([again, again]);
  });
});

describe("the bearer key is masked before a reason is shortened", () => {
  const bearer = "sk-live-0123456789abcdef";
  const said = `${"x".repeat(270)} ${bearer}`;
  it.each<[string, Handle]>([
    [
      "an error",
      () => {
        throw new ConnectError(said, Code.InvalidArgument);
      },
    ],
    [
      "a dead letter",
      () => ({ results: [result(1, { outcome: { case: "dead", value: { reason: said } } })] }),
    ],
    [
      "another attempt",
      () => ({ results: [result(1, { outcome: { case: "retryAfter", value: { reason: said } } })] }),
    ],
  ])("of %s", async (_name, handle) => {
    server.handle = handle;
    await using target = openTarget(server.url, { bearer });
    expect(await target.deliver(handedBatch([messageJson("a")]), signal)).toMatchObject([
      { reason: expect.stringMatching(/x{270} \*{3}$/) },
    ]);
  });
});

it("shows its bearer key", async () => {
  await using target = openTarget(server.url, { bearer: "k1" });
  await target.deliver(two, signal);
  expect(server.headers.map((headers) => headers.get("authorization"))).toEqual(["Bearer k1"]);
});

it("keeps its connection", async () => {
  await using target = openTarget(server.url);
  for (let count = 0; count < 5; count++) await target.deliver(two, signal);
  expect([server.batches.length, server.connections()]).toEqual([5, 1]);
});

it.each(["127.0.0.1", "2130706433", "localhost", "[::ffff:127.0.0.1]"])(
  "connects to %s only when it is allowed",
  async (host) => {
    await using target = openTarget(`http://${host}:${server.port}`, {
      outbound: createOutbound({ allow: [] }),
    });
    expect(await target.deliver(handedBatch([messageJson("a")]), signal)).toEqual([
      expect.objectContaining({ kind: "retry", reason: expect.stringContaining("not public") }),
    ]);
    expect(server.connections()).toBe(0);
  },
);
