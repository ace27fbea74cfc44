import type { Duration } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../../base/async/clock.ts";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { attribute, messagingSystem } from "../../../base/trace/attributes.ts";
import type { Trace } from "../../../base/trace/trace.ts";
import type { LeaseMessagesRequest } from "../../../gen/engage/webhook/v1/lease_pb.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { Inbox, LeaseRequest, WorkItem } from "../../../store/inbox/inbox.ts";
import type { RetryPolicy } from "../delivery/retry-policy.ts";
import { toMessageBatch } from "../mapping/handed-message.ts";
import { durationMs, timestampOf } from "../mapping/timestamp.ts";
import { encodeLeaseToken } from "./lease-token.ts";
import { openWait } from "./lease-wait.ts";
import { mapErrors } from "./refusals.ts";
import { settleAll } from "./settle.ts";

export interface PullOptions {
  readonly inbox: Pick<Inbox, "lease" | "settle" | "onWork" | "clockMs">;
  /** Policies of all targets by name; null for targets that are not of kind `pull`. */
  readonly targets: ReadonlyMap<string, RetryPolicy | null>;
  /** Policies of messages that may be leased, also of targets that are no longer configured. Default: `targets`. */
  readonly leasedTargets?: ReadonlyMap<string, RetryPolicy | null>;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  /** Aborted when the service is about to stop; then calls that wait for messages return. */
  readonly stopSignal?: AbortSignal;
  /** Returns the trace of a call. Default: none. */
  readonly traceOf?: (context: HandlerContext) => Trace | undefined;
}

/** Creates the methods that lease and settle messages of pull targets. */
export function createPullMethods(
  options: PullOptions,
): Pick<ServiceImpl<typeof WebhookReceiver>, "leaseMessages" | "settleMessages"> {
  const {
    inbox,
    clock,
    stopSignal = new AbortController().signal,
    leasedTargets = options.targets,
  } = options;
  return {
    leaseMessages: (request, context) =>
      mapErrors(async () => {
        const policy = policyOf(request.target, options.targets);
        const lease = readLease(request);
        const waitMs = Math.min(readWait(request.wait), leftMs(context.timeoutMs()));
        const items = await openWait({ ...options, policy, stopSignal }).lease(lease, waitMs, context.signal);
        noteReceived(options.traceOf?.(context), request.target, items);
        return {
          batches: items.map((item) => ({
            leaseToken: encodeLeaseToken(item),
            leaseEndTime: timestampOf(clock.now() + item.leaseUntilMs - inbox.clockMs()),
            batch: toMessageBatch(item),
          })),
        };
      }),
    settleMessages: ({ settlements }) =>
      mapErrors(() => settleAll(settlements, { ...options, targets: leasedTargets })),
  };
}

/** Shows in the trace of a call what it has leased: messages of batches with traces of their own, which it links to. */
function noteReceived(call: Trace | undefined, target: string, items: readonly WorkItem[]): void {
  if (call?.startSpan === undefined || items.length === 0) return;
  const span = call.startSpan(`receive ${target}`, {
    kind: "client",
    links: items.flatMap(({ trace }) => (trace === undefined ? [] : [trace])),
    attributes: {
      [attribute.messagingSystem]: messagingSystem,
      [attribute.messagingOperation]: "receive",
      [attribute.messagingOperationType]: "receive",
      [attribute.messagingConsumerGroup]: target,
      [attribute.messageCount]: items.reduce((sum, { elements }) => sum + elements.length, 0),
    },
  });
  span.end();
}

function policyOf(target: string, targets: PullOptions["targets"]): RetryPolicy {
  if (target === "") refuseField("target", "is required");
  const policy = targets.get(target);
  const name = quoteText(target);
  if (policy === undefined) {
    const pulled = [...targets].flatMap(([known, found]) => (found === null ? [] : [known]));
    throw new ConnectError(`there is no target ${name}, ${knownNames(target, pulled)}`, Code.NotFound);
  }
  if (policy === null) {
    throw new ConnectError(`target ${name} is not of kind pull`, Code.FailedPrecondition);
  }
  return policy;
}

const defaultMessages = 100;
const maxMessages = 500;
const defaultLeaseMs = 30_000;
const maxLeaseMs = 43_200_000;
const maxWaitMs = 60_000;
/** Time kept for the response to arrive before the caller's deadline. */
const responseMs = 250;

function readLease({ target, maxMessages: wanted, lease }: LeaseMessagesRequest): LeaseRequest {
  if (wanted < 0 || wanted > maxMessages) {
    const valid = `1 to ${maxMessages}, or 0 for ${defaultMessages}`;
    refuseField("max_messages", `is ${wanted}, valid are ${valid}`);
  }
  const leaseMs = lease === undefined ? defaultLeaseMs : Math.round(durationMs(lease));
  if (leaseMs < 1_000 || leaseMs > maxLeaseMs) {
    refuseField("lease", `is ${leaseMs / 1_000} s, valid are 1 s to 12 h`);
  }
  return { target, maxElements: wanted === 0 ? defaultMessages : wanted, leaseMs, holder: "consumer" };
}

function readWait(wait: Duration | undefined): number {
  const waitMs = wait === undefined ? 0 : durationMs(wait);
  if (waitMs >= 0 && waitMs <= maxWaitMs) return waitMs;
  refuseField("wait", `is ${waitMs / 1_000} s, valid are 0 to 60 s`);
}

function leftMs(timeoutMs: number | undefined): number {
  return timeoutMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, timeoutMs - responseMs);
}
