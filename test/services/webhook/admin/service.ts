import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type AdminOptions, createAdminMethods } from "../../../../services/webhook/admin/admin.ts";
import { type BatchOptions, createBatchMethods } from "../../../../services/webhook/admin/batches.ts";
import { createPullMethods, type PullOptions } from "../../../../services/webhook/admin/pull.ts";
import { type Harness, policy } from "../delivery/harness.ts";

/** The administrative methods over an in-memory transport. */
export function openService(
  { inbox, clock }: Pick<Harness, "inbox" | "clock">,
  changes: Partial<AdminOptions & BatchOptions & PullOptions> = {},
): Client<typeof WebhookReceiver> {
  let nonces = 0;
  const options = {
    inbox,
    clock,
    now: clock.now,
    monotonicMs: clock.monotonicMs,
    states: () => [],
    newNonce: () => `n${++nonces}`,
    random: () => 0.5,
    channels: new Map(),
    explain: () => undefined,
    targets: new Map([
      ["x", policy.retry],
      ["pushed", null],
    ]),
    ...changes,
  };
  const methods = {
    ...createAdminMethods(options),
    ...createBatchMethods(options),
    ...createPullMethods(options),
  };
  return createClient(
    WebhookReceiver,
    createRouterTransport((router) => router.service(WebhookReceiver, methods)),
  );
}
