import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { DeadSchema, DoneSchema } from "../../gen/engage/webhook/v1/batch_pb.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";

/** Calls in flight while the inbox is filled. */
const concurrency = 64;
/** One of so many messages is given up, and as many wait. */
const rareness = 20;

export type Webhooks = ReturnType<typeof openClient>;

export function openClient(port: number) {
  return createClient(WebhookReceiver, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
}

/** Sends messages to the channel `demo`, in batches with the request ids `r-0`, `r-1` and so on. */
export async function sendMessages(client: Webhooks, messages: number, perBatch: number): Promise<void> {
  const bytes = (batch: number) => new TextEncoder().encode(`{"ops_request_id":"r-${batch}"}`);
  await together(Math.ceil(messages / perBatch), async (batch) => {
    const rawReceipt = bytes(batch);
    const own = Array.from({ length: perBatch }, (_, at) => ({
      pushId: `user-${batch * perBatch + at}`,
      rawReceipt,
    }));
    await untilAccepted(() => client.receive({ channel: "demo", messages: own }));
  });
}

/** Settles nineteen of twenty messages, one of them as dead. */
export async function settleMost(client: Webhooks, messages: number): Promise<void> {
  let settled = 0;
  const wanted = messages - messages / rareness;
  while (settled < wanted) settled += await settleSome(client, Math.min(500, wanted - settled));
}

/** Sends a batch again while the inbox is overloaded, as a platform does. */
async function untilAccepted(send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send();
      return;
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unavailable) throw error;
    }
  }
}

/** Leases messages of the target `queue` and settles them. Returns how many. */
export async function settleSome(client: Webhooks, maxMessages: number): Promise<number> {
  const { batches } = await client.leaseMessages({ target: "queue", maxMessages });
  const settlements = batches.map(({ leaseToken, batch }) => ({
    leaseToken,
    results: batch!.messages.map(({ index, pushId }) => ({ index, outcome: outcomeOf(pushId) })),
  }));
  return (await client.settleMessages({ settlements })).settledCount;
}

function outcomeOf(pushId: string) {
  const isDead = Number(pushId.slice("user-".length)) % rareness === 0;
  if (isDead) return { case: "dead", value: create(DeadSchema, { reason: "HTTP 503: closed" }) } as const;
  return { case: "done", value: create(DoneSchema) } as const;
}

/** Runs tasks, some of them at a time. */
async function together(count: number, task: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, run));
}
