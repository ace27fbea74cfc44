import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../../base/async/clock.ts";
import { nextOrQuiet } from "../../../base/async/watch-ring.ts";
import {
  type DeliveryEventSchema,
  WatchDeliveriesResponseSchema,
} from "../../../gen/engage/webhook/v1/watch_pb.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { attemptOutcomes } from "../admin/delivery-message.ts";
import { durationOf, timestampOf } from "../mapping/timestamp.ts";
import type { DeliveryEvent, DeliveryWatches } from "./watch.ts";

export interface WatchMethodOptions {
  readonly watches: Pick<DeliveryWatches, "open">;
  /** Aborted when the server begins to stop. */
  readonly stopSignal: AbortSignal;
  readonly clock: Pick<Clock, "after">;
}

/** Creates the method that shows batches and attempts: each call has a place of its own in the latest events. */
export function createWatchMethod({
  watches,
  stopSignal,
  clock,
}: WatchMethodOptions): Pick<ServiceImpl<typeof WebhookReceiver>, "watchDeliveries"> {
  return {
    async *watchDeliveries({ channel, target }, { signal }) {
      using watch =
        watches.open({ channel: channel || undefined, target: target || undefined }) ?? refuseWatch();
      yield create(WatchDeliveriesResponseSchema);
      const ended = AbortSignal.any([signal, stopSignal]);
      for (;;) {
        const seen = await nextOrQuiet(watch, ended, clock);
        signal.throwIfAborted();
        if (stopSignal.aborted)
          throw new ConnectError("the server is stopping, call again", Code.Unavailable);
        yield create(WatchDeliveriesResponseSchema, {
          events: seen.items.map(toMessage),
          skipped: BigInt(seen.skipped),
        });
      }
    },
  };
}

function refuseWatch(): never {
  throw new ConnectError("too many watches are open on this server", Code.ResourceExhausted);
}

function toMessage({
  atMs,
  channel,
  batchId,
  accepted,
  attempted,
}: DeliveryEvent): MessageInitShape<typeof DeliveryEventSchema> {
  const event = { time: timestampOf(atMs), channel, batchId };
  if (attempted === undefined) {
    const value = { acceptedCount: accepted?.accepted ?? 0, failedCount: accepted?.failed ?? 0 };
    return { ...event, event: { case: "accepted", value } };
  }
  const { target, indexes, attempt, outcome, reason, status, durationMs } = attempted;
  const value = {
    target,
    indexes: indexes.map((index) => index + 1),
    attempt,
    outcome: attemptOutcomes[outcome],
    reason: reason ?? "",
    ...(status !== null && { status }),
    ...(durationMs !== null && { duration: durationOf(durationMs) }),
  };
  return { ...event, event: { case: "attempted", value } };
}
