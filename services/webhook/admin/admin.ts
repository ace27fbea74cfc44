import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { readPage, writePageToken } from "../../../base/rpc/paging.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { Inbox } from "../../../store/inbox/inbox.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { toDeadLetter, toDelivery, toDetail } from "./delivery-message.ts";
import { readDeadLetterFilter, readDeliveryFilter } from "./filters.ts";
import { mapErrors } from "./refusals.ts";
import { createReplayMethod, type ReplayOptions } from "./replay.ts";
import { toInboxStats, toTargetBreakers, toTargetStats } from "./stats.ts";

export interface AdminOptions extends ReplayOptions {
  readonly inbox: Pick<Inbox, "deliveries" | "delivery" | "deadLetters" | "replay" | "counts" | "health">;
  readonly states: Delivery["states"];
  readonly monotonicMs: () => number;
}

type AdminMethod = "listDeliveries" | "getDelivery" | "listDeadLetters" | "replayDeadLetters" | "getStats";

/** Creates the methods that list deliveries and replay dead letters. */
export function createAdminMethods(
  options: AdminOptions,
): Pick<ServiceImpl<typeof WebhookReceiver>, AdminMethod> {
  const { inbox } = options;
  return {
    listDeliveries: (request, { signal }) =>
      mapErrors(async () => {
        const filter = readDeliveryFilter(request.filter, request.state);
        const list = ["deliveries", filter];
        const { items, next } = await inbox.deliveries(filter, readPage(request, list), { signal });
        return { deliveries: items.map(toDelivery), nextPageToken: writePageToken(next, list) };
      }),

    getDelivery: ({ deliveryId }, { signal }) =>
      mapErrors(async () => {
        if (deliveryId === "") refuseField("delivery_id", "is required");
        const found = await inbox.delivery(deliveryId, { signal });
        if (found !== null) return { delivery: toDetail(found) };
        const message = `delivery_id ${quoteText(deliveryId)} is unknown or no longer kept, ListDeliveries lists them`;
        throw new ConnectError(message, Code.NotFound);
      }),

    listDeadLetters: (request, { signal }) =>
      mapErrors(async () => {
        const filter = readDeadLetterFilter(request.filter);
        const list = ["dead-letters", filter];
        const { items, next } = await inbox.deadLetters(filter, readPage(request, list), { signal });
        return { deadLetters: items.map(toDeadLetter), nextPageToken: writePageToken(next, list) };
      }),

    ...createReplayMethod(options),

    getStats: ({ channel }, { signal }) =>
      mapErrors(async () => {
        const [counts, health] = await Promise.all([inbox.counts({ signal }), inbox.health({ signal })]);
        const wanted = counts.filter((one) => channel === "" || one.channel === channel);
        const nowMs = options.now();
        return {
          targets: wanted.map(toTargetStats),
          inbox: toInboxStats(health, nowMs),
          breakers: toTargetBreakers(options.states(), nowMs - options.monotonicMs()),
        };
      }),
  };
}
