import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Client, Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { names } from "../delivery/harness.ts";
import { failure, openForEach, settleAll } from "./service.ts";

const { harness, service } = openForEach();

describe("ListDeliveries", () => {
  it("shows where each stands", async () => {
    await harness().accept(["a"], ["x"]);
    await settleAll(harness(), "x", "done");
    await harness().clock.pass(1_000);
    await harness().accept(["b"], ["x", "y"]);
    await settleAll(harness(), "y", "dead");
    await harness().inbox.lease({ target: "x", maxElements: 1, leaseMs: 5_000, holder: "consumer" });
    const { deliveries, nextPageToken } = await service().listDeliveries({});
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
    expect(timestampMs(deliveries[0]!.dueTime!)).toBe(harness().clock.now() + 5_000);
  });

  it("filters by every field", async () => {
    const batchId = await harness().accept(["a", "b"], ["x", "y"]);
    const middle = timestampFromMs(harness().clock.now() + 1);
    await harness().clock.pass(1_000);
    await harness().accept(["a"], ["x"]);
    const count = async (request: Parameters<Client<typeof WebhookReceiver>["listDeliveries"]>[0]) =>
      (await service().listDeliveries(request)).deliveries.length;
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
    await settleAll(harness(), "y", "dead", "HTTP 400: no");
    expect(await count({ filter: { reason: "HTTP 4" } })).toBe(2);
  });

  it("goes from page to page to the end", async () => {
    for (let count = 0; count < 3; count++) await harness().accept(names(7), ["x"]);
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await service().listDeliveries({ pageSize: 4, pageToken });
      seen.push(...page.deliveries.map(({ deliveryId }) => deliveryId));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect([seen.length, new Set(seen).size]).toEqual([21, 21]);
  });

  it("takes a page token only for the list it is of", async () => {
    await harness().accept(names(3), ["x"]);
    const { nextPageToken: pageToken } = await service().listDeliveries({ pageSize: 1 });
    const calls = [
      service().listDeliveries({ pageToken, filter: { target: "x" } }),
      service().listDeadLetters({ pageToken }),
      service().listDeliveries({ pageToken: "nonsense" }),
    ];
    const errors = await Promise.all(calls.map(failure));
    expect(errors.map(({ code }) => code)).toEqual([3, 3, 3].map(() => Code.InvalidArgument));
  });

  it.each(["", "nonsense", "-1.5", "1' OR 1=1", "9".repeat(400)])(
    "refuses a page token with its end replaced by %j",
    async (forged) => {
      await harness().accept(names(3), ["x"]);
      const { nextPageToken } = await service().listDeliveries({ pageSize: 1 });
      const [mark] = Buffer.from(nextPageToken, "base64url").toString().split(" ");
      const pageToken = Buffer.from(`${mark} ${forged}`).toString("base64url");
      const { code, message } = await failure(service().listDeliveries({ pageToken }));
      expect(code).toBe(Code.InvalidArgument);
      expect(message).toContain("page_token is not one of this list");
    },
  );
});

describe("GetDelivery", () => {
  it("shows the message with its receipt byte for byte", async () => {
    await harness().accept(["a"], ["x"]);
    const [{ deliveryId = "" } = {}] = (await service().listDeliveries({})).deliveries;
    const { delivery } = await service().getDelivery({ deliveryId });
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
    const error = await failure(service().getDelivery({ deliveryId: "nope" }));
    expect([error.code, error.rawMessage]).toEqual([
      Code.NotFound,
      'delivery_id "nope" is unknown or no longer kept, ListDeliveries lists them',
    ]);
  });
});
