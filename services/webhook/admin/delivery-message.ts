import { create } from "@bufbuild/protobuf";
import { asBuffer } from "../../../base/json/utf8.ts";
import { type Delivery, DeliverySchema } from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import { type WebhookMessage, WebhookMessageSchema } from "../../../gen/engage/webhook/v1/message_pb.ts";
import type { DeadLetter, DeliveryDetail, Delivery as StoredDelivery } from "../../../store/inbox/inbox.ts";
import { readParams } from "../mapping/handed-message.ts";
import { timestampOf } from "../mapping/timestamp.ts";
import { stateNumber } from "./filters.ts";

export function toDelivery(stored: StoredDelivery): Delivery {
  const { attempts, reason, dueAtMs } = stored;
  return create(DeliverySchema, {
    ...identityOf(stored),
    state: stateNumber(stored.state),
    ...(attempts !== null && { attempts }),
    reason: reason ?? "",
    ...(dueAtMs !== null && { dueTime: timestampOf(dueAtMs) }),
  });
}

export function toDetail(stored: DeliveryDetail): Delivery {
  const delivery = toDelivery(stored);
  delivery.message = toWebhookMessage(stored);
  return delivery;
}

export function toDeadLetter(stored: DeadLetter): Delivery {
  return create(DeliverySchema, {
    ...identityOf(stored),
    state: stateNumber("dead"),
    attempts: stored.attempts,
    reason: stored.reason,
    deadTime: timestampOf(stored.diedAtMs),
  });
}

function identityOf(stored: StoredDelivery | DeadLetter) {
  const { deliveryId, channel, target, batchId, pushId } = stored;
  return {
    deliveryId,
    channel,
    target,
    batchId,
    pushId,
    index: stored.index + 1,
    requestId: stored.requestId ?? "",
    acceptedTime: timestampOf(stored.acceptedAtMs),
  };
}

function toWebhookMessage({ pushId, json, receipt }: DeliveryDetail): WebhookMessage {
  return create(WebhookMessageSchema, {
    pushId,
    ...readParams(json),
    opsReceiptProperties: JSON.parse(asBuffer(receipt).toString("utf8")),
    rawReceipt: receipt,
  });
}
