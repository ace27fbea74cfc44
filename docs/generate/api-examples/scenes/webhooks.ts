import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import {
  type ReceiveRequestSchema,
  WebhookReceiver,
} from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { textAt } from "../bodies.ts";
import { secret } from "../server.ts";
import type { World } from "../world.ts";

const channel = "demo";
const unknownChannel = "demos";
const target = "consumer";

function batchOf(
  requestId: string,
  pushIds: readonly string[],
): MessageInitShape<typeof ReceiveRequestSchema> {
  return {
    channel,
    messages: pushIds.map((pushId) => ({
      pushId,
      params: { title: { kind: { case: "stringValue", value: "Welcome back" } } },
      customParams: { name: { kind: { case: "stringValue", value: pushId } } },
      opsReceiptProperties: { ops_project_id: 1, ops_task_id: "t7", ops_request_id: requestId },
    })),
  };
}

export async function playWebhooks(world: World): Promise<void> {
  await playReceive(world);
  const deliveryId = await playLease(world);
  await playLists(world, deliveryId);
  await playDeadLetters(world);
}

async function playReceive({ calls, client }: World): Promise<void> {
  const { method } = WebhookReceiver;
  await calls.serverStream(
    method.watchDeliveries,
    { channel },
    { count: 2, during: () => client(WebhookReceiver).receive(batchOf("r-0", ["eve"])) },
  );
  const [{ leaseToken } = { leaseToken: "" }] = (await client(WebhookReceiver).leaseMessages({ target }))
    .batches;
  const done = { index: 1, outcome: { case: "done", value: {} } } as const;
  await client(WebhookReceiver).settleMessages({ settlements: [{ leaseToken, results: [done] }] });
  await calls.unary(method.receive, batchOf("r-1", ["ann", "bob", "n/a"]), { secret });
  await calls.refused(method.receive, { ...batchOf("r-2", ["ann"]), channel: unknownChannel }, { secret });
}

async function playLease({ calls }: World): Promise<string> {
  const { leaseMessages, settleMessages } = WebhookReceiver.method;
  const leased = await calls.unary(leaseMessages, {
    target,
    maxMessages: 10,
    lease: { seconds: 3_600n },
    wait: { seconds: 1n },
  });
  await calls.unary(settleMessages, {
    settlements: [
      {
        leaseToken: textAt(leased, "batches", 0, "leaseToken"),
        results: [
          { index: 1, outcome: { case: "done", value: {} } },
          { index: 2, outcome: { case: "dead", value: { reason: "no such player" } } },
        ],
      },
    ],
  });
  return textAt(leased, "batches", 0, "batch", "messages", 0, "deliveryId");
}

async function playLists({ calls }: World, deliveryId: string): Promise<void> {
  const { method } = WebhookReceiver;
  const listed = await calls.unary(method.listBatches, {
    filter: { channel, requestId: "r-1" },
    pageSize: 10,
  });
  await calls.unary(method.getBatch, { batchId: textAt(listed, "batches", 0, "batchId") });
  await calls.unary(method.listDeliveries, {
    filter: { channel, target, pushId: "ann" },
    state: DeliveryState.DELIVERED,
    pageSize: 10,
  });
  await calls.unary(method.getDelivery, { deliveryId });
  await calls.unary(method.listRefusals, { channel: unknownChannel, pageSize: 10 });
  await calls.unary(method.getStats, { channel });
  await calls.unary(method.reportClick, {
    deliveryId,
    time: timestampFromDate(new Date("2026-03-05T11:30:00Z")),
    uuid: "3d6f8f5b-2f2e-4ac5-8c0e-1d3f1f1a9c77",
  });
}

async function playDeadLetters({ calls }: World): Promise<void> {
  const { listDeadLetters, replayDeadLetters } = WebhookReceiver.method;
  const filter = { channel, target, reason: "no such player" };
  await calls.unary(listDeadLetters, { filter, pageSize: 10 });
  await calls.unary(replayDeadLetters, { filter, dryRun: true });
}
