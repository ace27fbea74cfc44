import { create } from "@bufbuild/protobuf";
import { asBuffer } from "../../../base/json/utf8.ts";
import {
  type Attempt,
  AttemptOutcome,
  AttemptSchema,
  type Delivery,
  DeliverySchema,
} from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import { type WebhookMessage, WebhookMessageSchema } from "../../../gen/engage/webhook/v1/message_pb.ts";
import type {
  DeadLetter,
  DeliveryDetail,
  Attempt as StoredAttempt,
  Delivery as StoredDelivery,
  TracedDelivery,
} from "../../../store/inbox/inbox.ts";
import { readParams } from "../mapping/handed-message.ts";
import { durationOf, timestampOf } from "../mapping/timestamp.ts";
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

export function toTraced(stored: TracedDelivery): Delivery {
  const delivery = toDelivery(stored);
  delivery.timeline = stored.timeline.map(toAttempt);
  return delivery;
}

export const attemptOutcomes = {
  done: AttemptOutcome.DONE,
  retry: AttemptOutcome.RETRY,
  dead: AttemptOutcome.DEAD,
} as const;

function toAttempt(stored: StoredAttempt): Attempt {
  const { attempt, isBeforeReplay, startedAtMs, durationMs, outcome, reason, status, answer } = stored;
  return create(AttemptSchema, {
    attempt,
    beforeReplay: isBeforeReplay,
    startTime: timestampOf(startedAtMs),
    ...(durationMs !== null && { duration: durationOf(durationMs) }),
    outcome: attemptOutcomes[outcome],
    reason: reason ?? "",
    ...(status !== null && { status }),
    answer: answer ?? "",
  });
}

export function toDetail(stored: DeliveryDetail): Delivery {
  const delivery = toTraced(stored);
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
