import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BreakerState, DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { BadRequestSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import { InboxUnavailableError } from "../../../../store/inbox/inbox.ts";
import { type Harness, names, openHarness } from "../delivery/harness.ts";
import { openService } from "./service.ts";

let harness: Harness;
let service: Client<typeof WebhookReceiver>;
beforeEach(async () => {
  harness = await openHarness();
  service = openService(harness);
});
afterEach(async () => {
  await harness[Symbol.asyncDispose]();
});

/** Lets messages of a target die, or be done. */
async function settle(target: string, kind: "done" | "dead", reason = "no"): Promise<void> {
  const { items } = await harness.inbox.lease({ target, maxElements: 1_000, leaseMs: 1_000 });
  for (const { token, elements } of items) {
    await harness.inbox.settle(
      token,
      elements.map(({ index }) => ({ index, kind, reason })),
    );
  }
}

async function failure(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.catch((error: unknown) => error));
}

describe("ListDeliveries", () => {
  it("shows where each stands", async () => {
    await harness.accept(["a"], ["x"]);
    await settle("x", "done");
    await harness.clock.pass(1_000);
    await harness.accept(["b"], ["x", "y"]);
    await settle("y", "dead");
    await harness.inbox.lease({ target: "x", maxElements: 1, leaseMs: 5_000, holder: "consumer" });
    const { deliveries, nextPageToken } = await service.listDeliveries({});
    expect(nextPageToken).toBe("");
    expect(deliveries.map(({ pushId, target, state, index }) => [pushId, target, state, index])).toEqual([
      ["b", "x", DeliveryState.LEASED, 1],
      ["b", "y", DeliveryState.DEAD, 1],
      ["a", "x", DeliveryState.DELIVERED, 1],
    ]);
    expect(deliveries.map(({ attempts, reason }) => [attempts, reason])).toEqual([
      [1, ""],
      [1, "no"],
      [undefined, ""],
    ]);
    expect(timestampMs(deliveries[0]!.dueTime!)).toBe(harness.clock.now() + 5_000);
  });

  it("filters by every field", async () => {
    const batchId = await harness.accept(["a", "b"], ["x", "y"]);
    const middle = timestampFromMs(harness.clock.now() + 1);
    await harness.clock.pass(1_000);
    await harness.accept(["a"], ["x"]);
    const count = async (request: Parameters<typeof service.listDeliveries>[0]) =>
      (await service.listDeliveries(request)).deliveries.length;
    expect([
      await count({ filter: { channel: "mail" } }),
      await count({ filter: { channel: "other" } }),
      await count({ filter: { target: "y" } }),
      await count({ filter: { batchId } }),
      await count({ filter: { requestId: "r1" } }),
      await count({ filter: { pushId: "a", target: "x" } }),
      await count({ filter: { acceptedFrom: middle } }),
      await count({ filter: { acceptedUntil: middle } }),
      await count({ state: DeliveryState.PENDING }),
      await count({ state: DeliveryState.DEAD }),
      await count({ filter: { reason: "no" } }),
    ]).toEqual([5, 0, 2, 4, 0, 2, 1, 4, 5, 0, 0]);
    await settle("y", "dead", "HTTP 400: no");
    expect(await count({ filter: { reason: "HTTP 4" } })).toBe(2);
  });

  it("goes from page to page to the end", async () => {
    for (let count = 0; count < 3; count++) await harness.accept(names(7), ["x"]);
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await service.listDeliveries({ pageSize: 4, pageToken });
      seen.push(...page.deliveries.map(({ deliveryId }) => deliveryId));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect([seen.length, new Set(seen).size]).toEqual([21, 21]);
  });

  it("takes a page token only for the list it is of", async () => {
    await harness.accept(names(3), ["x"]);
    const { nextPageToken: pageToken } = await service.listDeliveries({ pageSize: 1 });
    const calls = [
      service.listDeliveries({ pageToken, filter: { target: "x" } }),
      service.listDeadLetters({ pageToken }),
      service.listDeliveries({ pageToken: "nonsense" }),
    ];
    const errors = await Promise.all(calls.map(failure));
    expect(errors.map(({ code }) => code)).toEqual([3, 3, 3].map(() => Code.InvalidArgument));
  });

  it.each(["", "nonsense", "-1.5", "1' OR 1=1", "9".repeat(400)])(
    "refuses a page token with its end replaced by %j",
    async (forged) => {
      await harness.accept(names(3), ["x"]);
      const { nextPageToken } = await service.listDeliveries({ pageSize: 1 });
      const [mark] = Buffer.from(nextPageToken, "base64url").toString().split(" ");
      const pageToken = Buffer.from(`${mark} ${forged}`).toString("base64url");
      const { code, message } = await failure(service.listDeliveries({ pageToken }));
      expect(code).toBe(Code.InvalidArgument);
      expect(message).toContain("page_token is not one of this list");
    },
  );
});

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
    const error = await failure(call(service));
    expect([error.code, error.rawMessage]).toEqual([Code.InvalidArgument, expect.stringContaining(message)]);
    expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations).toMatchObject([{ field }]);
  });

  it.each(["listDeliveries", "listDeadLetters", "getStats"] as const)(
    "%s while the inbox is unavailable",
    async (method) => {
      const away = async () => {
        throw new InboxUnavailableError("disk full");
      };
      const inbox = { ...harness.inbox, deliveries: away, deadLetters: away, counts: away, health: away };
      const error = await failure(openService(harness, { inbox: inbox as never })[method]({}));
      expect([error.code, error.rawMessage]).toEqual([Code.Unavailable, "the inbox is unavailable"]);
    },
  );
});

describe("GetDelivery", () => {
  it("shows the message with its receipt byte for byte", async () => {
    await harness.accept(["a"], ["x"]);
    const [{ deliveryId = "" } = {}] = (await service.listDeliveries({})).deliveries;
    const { delivery } = await service.getDelivery({ deliveryId });
    expect(Buffer.from(delivery!.message!.rawReceipt).toString()).toBe('{"ops_project_id":1}');
    expect(delivery).toMatchObject({
      deliveryId,
      pushId: "a",
      state: DeliveryState.PENDING,
      message: {
        pushId: "a",
        params: { title: { kind: { value: "Hi" } } },
        opsReceiptProperties: { ops_project_id: 1 },
      },
    });
  });

  it("knows nothing of other ids", async () => {
    const error = await failure(service.getDelivery({ deliveryId: "nope" }));
    expect([error.code, error.rawMessage]).toEqual([
      Code.NotFound,
      'delivery_id "nope" is unknown or no longer kept, ListDeliveries lists them',
    ]);
  });
});

describe("dead letters", () => {
  it("are listed with their reason, the last to die first", async () => {
    await harness.accept(["a"], ["x"]);
    await settle("x", "dead", "first");
    await harness.clock.pass(1_000);
    await harness.accept(["b"], ["y"]);
    await settle("y", "dead", "second");
    const { deadLetters } = await service.listDeadLetters({});
    expect(
      deadLetters.map(({ pushId, reason, attempts, state }) => [pushId, reason, attempts, state]),
    ).toEqual([
      ["b", "second", 1, DeliveryState.DEAD],
      ["a", "first", 1, DeliveryState.DEAD],
    ]);
    expect(timestampMs(deadLetters[0]!.deadTime!)).toBe(harness.clock.now());
    const filter = { reason: "sec" };
    expect((await service.listDeadLetters({ filter })).deadLetters.map(({ pushId }) => pushId)).toEqual([
      "b",
    ]);
    expect((await service.replayDeadLetters({ filter, dryRun: true })).count).toBe(1n);
  });

  it("are counted by a dry run, and replayed once for a nonce", async () => {
    await harness.accept(names(5), ["x"]);
    await settle("x", "dead");
    const filter = { pushId: "u1" };
    const counts = [
      await service.replayDeadLetters({ filter, dryRun: true, nonce: "n" }),
      await service.replayDeadLetters({ filter, nonce: "n" }),
      await service.replayDeadLetters({ filter, nonce: "n" }),
      await service.replayDeadLetters({ filter, nonce: "m" }),
    ].map(({ count }) => count);
    expect(counts).toEqual([1n, 1n, 1n, 0n]);
    expect(await harness.counts("x")).toMatchObject({ dead: 4, pending: 1 });
  });

  it("are replayed in parts, without those that die again meanwhile", async () => {
    await harness.accept(names(5), ["x"]);
    await settle("x", "dead");
    const counts: bigint[] = [];
    let pageToken = "";
    do {
      const part = await service.replayDeadLetters({ all: true, pageSize: 2, pageToken });
      counts.push(part.count);
      pageToken = part.nextPageToken;
      await harness.clock.pass(1_000);
      await settle("x", "dead");
    } while (pageToken !== "");
    expect(counts).toEqual([2n, 2n, 1n]);
    const { nextPageToken } = await service.replayDeadLetters({ all: true, pageSize: 2, dryRun: true });
    expect(nextPageToken).not.toBe("");
    expect(await harness.counts("x")).toMatchObject({ dead: 5, pending: 0 });
  });

  it("are replayed each time without a nonce, all of them when it is said", async () => {
    await harness.accept(names(5), ["x"]);
    await settle("x", "dead");
    expect((await service.replayDeadLetters({ all: true })).count).toBe(5n);
    await settle("x", "dead");
    expect((await service.replayDeadLetters({ all: true })).count).toBe(5n);
  });
});

describe("GetStats", () => {
  it("keeps books in which nothing is missing", async () => {
    await harness.accept(names(4), ["x", "y"]);
    await settle("y", "dead");
    await harness.clock.pass(9_000);
    const { targets, inbox } = await service.getStats({});
    expect(targets).toMatchObject([
      { channel: "mail", target: "x", accepted: 4n, delivered: 0n, dead: 0n, pending: 4n },
      { channel: "mail", target: "y", accepted: 4n, delivered: 0n, dead: 4n, pending: 0n },
    ]);
    expect(inbox).toMatchObject({ writable: true, reason: "" });
    expect(timestampMs(inbox!.oldestPendingTime!)).toBe(harness.clock.now() - 9_000);
  });

  it("is of one channel when asked", async () => {
    await harness.accept(names(4), ["x"]);
    expect((await service.getStats({ channel: "other" })).targets).toEqual([]);
    expect((await service.getStats({ channel: "mail" })).targets).toHaveLength(1);
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
    const { breakers } = await openService(harness, { states, ...clock }).getStats({ channel: "none" });
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
    expect((await service.getStats({})).inbox?.oldestPendingTime).toBeUndefined();
  });
});
