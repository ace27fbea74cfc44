import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Client, Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { BreakerState, DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { BadRequestSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import { InboxUnavailableError } from "../../../../store/inbox/inbox.ts";
import { names } from "../delivery/harness.ts";
import { failure, openForEach, openService, settleAll } from "./service.ts";

const { harness, service } = openForEach();

describe("requests that are refused", () => {
  it.each<[string, (client: Client<typeof WebhookReceiver>) => Promise<unknown>, string, string]>([
    [
      "a page of a negative size",
      (client) => client.listDeliveries({ pageSize: -1 }),
      "page_size",
      "valid are 1 to 1000",
    ],
    ["a page too large", (client) => client.listDeadLetters({ pageSize: 1_001 }), "page_size", "is 1001"],
    ["an unknown state", (client) => client.listDeliveries({ state: 9 as DeliveryState }), "state", "is 9"],
    [
      "a time that ends before it begins",
      (client) =>
        client.listDeadLetters({ filter: { deadFrom: timestampFromMs(2), deadUntil: timestampFromMs(1) } }),
      "filter.dead_until",
      "is not after dead_from",
    ],
    ["no delivery id", (client) => client.getDelivery({}), "delivery_id", "is required"],
    ["a replay of everything by mistake", (client) => client.replayDeadLetters({}), "filter", "set all"],
    [
      "a nonce too long",
      (client) => client.replayDeadLetters({ all: true, nonce: "x".repeat(201) }),
      "nonce",
      "at most 200",
    ],
    [
      "a nonce of a replay in parts",
      (client) => client.replayDeadLetters({ all: true, nonce: "n", pageSize: 1 }),
      "nonce",
      "is set with page_size",
    ],
    [
      "a part too large",
      (client) => client.replayDeadLetters({ all: true, pageSize: 1_001 }),
      "page_size",
      "is 1001",
    ],
    [
      "a token of another list",
      (client) => client.replayDeadLetters({ all: true, pageToken: "eA" }),
      "page_token",
      "begin again without it",
    ],
  ])("%s", async (_name, call, field, message) => {
    const error = await failure(call(service()));
    expect([error.code, error.rawMessage]).toEqual([Code.InvalidArgument, expect.stringContaining(message)]);
    expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations).toMatchObject([{ field }]);
  });

  it.each(["listDeliveries", "listDeadLetters", "getStats"] as const)(
    "%s while the inbox is unavailable",
    async (method) => {
      const away = async () => {
        throw new InboxUnavailableError("disk full");
      };
      const inbox = { ...harness().inbox, deliveries: away, deadLetters: away, counts: away, health: away };
      const error = await failure(openService(harness(), { inbox: inbox as never })[method]({}));
      expect([error.code, error.rawMessage]).toEqual([Code.Unavailable, "the inbox is unavailable"]);
    },
  );
});

describe("dead letters", () => {
  it("are listed with their reason, the last to die first", async () => {
    await harness().accept(["a"], ["x"]);
    await settleAll(harness(), "x", "dead", "first");
    await harness().clock.pass(1_000);
    await harness().accept(["b"], ["y"]);
    await settleAll(harness(), "y", "dead", "second");
    const { deadLetters } = await service().listDeadLetters({});
    expect(
      deadLetters.map(({ pushId, reason, attempts, state }) => [pushId, reason, attempts, state]),
    ).toEqual([
      ["b", "second", 1, DeliveryState.DEAD],
      ["a", "first", 1, DeliveryState.DEAD],
    ]);
    expect(timestampMs(deadLetters[0]!.deadTime!)).toBe(harness().clock.now());
    const filter = { reason: "sec" };
    expect((await service().listDeadLetters({ filter })).deadLetters.map(({ pushId }) => pushId)).toEqual([
      "b",
    ]);
    expect((await service().replayDeadLetters({ filter, dryRun: true })).count).toBe(1n);
  });

  it("are counted by a dry run, and replayed once for a nonce", async () => {
    await harness().accept(names(5), ["x"]);
    await settleAll(harness(), "x", "dead");
    const filter = { pushId: "u1" };
    const counts = [
      await service().replayDeadLetters({ filter, dryRun: true, nonce: "n" }),
      await service().replayDeadLetters({ filter, nonce: "n" }),
      await service().replayDeadLetters({ filter, nonce: "n" }),
      await service().replayDeadLetters({ filter, nonce: "m" }),
    ].map(({ count }) => count);
    expect(counts).toEqual([1n, 1n, 1n, 0n]);
    expect(await harness().counts("x")).toMatchObject({ dead: 4, pending: 1 });
  });

  it("are replayed in parts, without those that die again meanwhile", async () => {
    await harness().accept(names(5), ["x"]);
    await settleAll(harness(), "x", "dead");
    const counts: bigint[] = [];
    let pageToken = "";
    do {
      const part = await service().replayDeadLetters({ all: true, pageSize: 2, pageToken });
      counts.push(part.count);
      pageToken = part.nextPageToken;
      await harness().clock.pass(1_000);
      await settleAll(harness(), "x", "dead");
    } while (pageToken !== "");
    expect(counts).toEqual([2n, 2n, 1n]);
    const { nextPageToken } = await service().replayDeadLetters({ all: true, pageSize: 2, dryRun: true });
    expect(nextPageToken).not.toBe("");
    expect(await harness().counts("x")).toMatchObject({ dead: 5, pending: 0 });
  });

  it("are replayed each time without a nonce, all of them when it is said", async () => {
    await harness().accept(names(5), ["x"]);
    await settleAll(harness(), "x", "dead");
    expect((await service().replayDeadLetters({ all: true })).count).toBe(5n);
    await settleAll(harness(), "x", "dead");
    expect((await service().replayDeadLetters({ all: true })).count).toBe(5n);
  });
});

describe("GetStats", () => {
  it("keeps books in which nothing is missing", async () => {
    await harness().accept(names(4), ["x", "y"]);
    await settleAll(harness(), "y", "dead");
    await harness().clock.pass(9_000);
    const { targets, inbox } = await service().getStats({});
    expect(targets).toMatchObject([
      { channel: "mail", target: "x", accepted: 4n, delivered: 0n, dead: 0n, pending: 4n },
      { channel: "mail", target: "y", accepted: 4n, delivered: 0n, dead: 4n, pending: 0n },
    ]);
    expect(inbox).toMatchObject({ writable: true, reason: "" });
    expect(timestampMs(inbox!.oldestPendingTime!)).toBe(harness().clock.now() - 9_000);
  });

  it("is of one channel when asked", async () => {
    await harness().accept(names(4), ["x"]);
    expect((await service().getStats({ channel: "other" })).targets).toEqual([]);
    expect((await service().getStats({ channel: "mail" })).targets).toHaveLength(1);
  });

  it("shows the breakers by target, with times by the clock of the computer", async () => {
    const clock = { now: () => 1_000_000, monotonicMs: () => 400 };
    const states = () => [
      { target: "y", breaker: "open", openedMs: 100, nextTryMs: 900, calls: 0, held: 0 } as const,
      {
        target: "x",
        breaker: "half-open",
        openedMs: 300,
        nextTryMs: undefined,
        calls: 1,
        held: 1,
      } as const,
      {
        target: "w",
        breaker: "closed",
        openedMs: undefined,
        nextTryMs: undefined,
        calls: 0,
        held: 0,
      } as const,
    ];
    const { breakers } = await openService(harness(), { states, ...clock }).getStats({ channel: "none" });
    const timeOf = (time: Timestamp | undefined) => time && timestampMs(time);
    expect(
      breakers.map(({ target, state, openTime, nextTryTime }) => [
        target,
        state,
        timeOf(openTime),
        timeOf(nextTryTime),
      ]),
    ).toEqual([
      ["w", BreakerState.CLOSED, undefined, undefined],
      ["x", BreakerState.HALF_OPEN, 999_900, undefined],
      ["y", BreakerState.OPEN, 999_700, 1_000_500],
    ]);
  });

  it("leaves out what is not known", async () => {
    expect((await service().getStats({})).inbox?.oldestPendingTime).toBeUndefined();
  });
});
