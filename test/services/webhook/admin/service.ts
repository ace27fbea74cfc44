import { type Client, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach } from "vitest";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type AdminOptions, createAdminMethods } from "../../../../services/webhook/admin/admin.ts";
import { type BatchOptions, createBatchMethods } from "../../../../services/webhook/admin/batches.ts";
import { createPullMethods, type PullOptions } from "../../../../services/webhook/admin/pull.ts";
import { type Harness, openHarness, policy } from "../delivery/harness.ts";

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

/** Opens a harness and its service before each test, and closes them after it. */
export function openForEach(): {
  readonly harness: () => Harness;
  readonly service: () => Client<typeof WebhookReceiver>;
} {
  let harness: Harness;
  let service: Client<typeof WebhookReceiver>;
  beforeEach(async () => {
    harness = await openHarness();
    service = openService(harness);
  });
  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });
  return { harness: () => harness, service: () => service };
}

/** Lets the messages that wait for a target die, or be done. */
export async function settleAll(
  { inbox }: Pick<Harness, "inbox">,
  target: string,
  kind: "done" | "dead",
  reason = "no",
): Promise<void> {
  const { items } = await inbox.lease({ target, maxElements: 1_000, leaseMs: 1_000 });
  for (const { token, elements } of items) {
    await inbox.settle(
      token,
      elements.map(({ index }) => ({ index, kind, reason })),
    );
  }
}

export async function failure(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.catch((error: unknown) => error));
}
