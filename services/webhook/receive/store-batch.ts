import { attribute, messagingSystem, ownAttribute } from "../../../base/trace/attributes.ts";
import { inSpan, type SpanOptions } from "../../../base/trace/trace.ts";
import type { AcceptResult, Inbox, NewBatch } from "../../../store/inbox/inbox.ts";
import type { Channel } from "../channels.ts";
import type { ReceiveObserver } from "../observer.ts";
import type { ElementFailure } from "./elements.ts";
import { encodeReply } from "./encode-reply.ts";
import { Refusal } from "./refusal.ts";
import { decideSync, type RouteOutcome } from "./sync-outcome.ts";

export type ReceiveInbox = Pick<Inbox, "accept" | "awaitReply" | "complete" | "release">;

/** A batch that has passed all checks. */
export interface CheckedDelivery extends Omit<NewBatch, "reply" | "ownerLeaseMs"> {
  readonly failures: readonly ElementFailure[];
}

/**
 * Delivers a batch to its targets at once. Resolves with their outcomes after `timeoutMs` at the latest, and settles
 * nothing.
 */
export type DeliverNow = (
  batch: Pick<NewBatch, "channel" | "requestId" | "body" | "elements" | "routes" | "trace"> & {
    readonly batchId: string;
  },
  timeoutMs: number,
) => Promise<readonly RouteOutcome[]>;

export interface StorePorts {
  readonly inbox: ReceiveInbox;
  readonly deliverNow: DeliverNow;
  readonly observer: ReceiveObserver;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonicMs: () => number;
}

/** Time in addition to that of the targets, for the commits before and after. */
const ownerMarginMs = 15_000;
/** Less than the default timeout of senders, 60 s, so that they get a reply. */
const maxWaitMs = 45_000;

/**
 * Stores a batch once and returns its reply. A repeated batch gets the first reply, after waiting for it if necessary.
 * @throws Refusal of kind `conflict` or `unavailable`
 */
export async function storeBatch(
  ports: StorePorts,
  channel: Channel,
  batch: CheckedDelivery,
): Promise<Uint8Array> {
  const { inbox, observer, monotonicMs } = ports;
  const { failures, ...rest } = batch;
  const { sync } = channel;
  const immediate = encodeReply(failures);
  const untilMs = monotonicMs() + maxWaitMs;
  for (;;) {
    const { result, trace } = await accept(
      inbox,
      sync === undefined
        ? { ...rest, reply: immediate }
        : { ...rest, reply: null, ownerLeaseMs: sync.timeoutMs + ownerMarginMs },
    );
    if (result.kind === "conflict") {
      const id = JSON.stringify(batch.requestId);
      throw new Refusal("conflict", `ops_request_id ${id} was used before by a batch with another body`, {
        detail: `first batch ${result.batchId}`,
      });
    }
    if (result.kind === "duplicate") {
      observer.repeated(channel.name, result.batchId);
      return result.reply;
    }
    if (result.kind === "stored") {
      const { batchId } = result;
      const reply =
        sync === undefined ? immediate : await deliverAndReply(ports, sync, { ...batch, trace }, batchId);
      // No reply means that another call has taken over the batch because this one took too long. That call's reply
      // counts.
      if (reply === undefined) continue;
      observer.accepted(channel.name, { batchId, accepted: batch.elements.length, failed: failures.length });
      return reply;
    }
    const waitMs = untilMs - monotonicMs();
    const reply = waitMs > 0 ? await inbox.awaitReply(result.batchId, waitMs) : null;
    if (reply !== null) {
      observer.repeated(channel.name, result.batchId);
      return reply;
    }
    if (monotonicMs() >= untilMs) {
      throw new Refusal("unavailable", "the first call with this batch is still in flight", {
        retryAfterMs: 5_000,
      });
    }
  }
}

/** Stores a batch in a span, whose trace its deliveries continue. */
function accept(
  inbox: Pick<Inbox, "accept">,
  batch: NewBatch,
): Promise<{ readonly result: AcceptResult; readonly trace: NewBatch["trace"] }> {
  return inSpan(
    batch.trace,
    `send ${batch.channel}`,
    () => sending(batch),
    async (trace, span) => {
      const result = await inbox.accept({ ...batch, trace });
      span?.set({ [attribute.messageId]: result.batchId, [ownAttribute.outcome]: result.kind });
      return { result, trace };
    },
  );
}

function sending({ channel, elements }: NewBatch): SpanOptions {
  return {
    kind: "producer",
    attributes: {
      [attribute.messagingSystem]: messagingSystem,
      [attribute.messagingOperation]: "send",
      [attribute.messagingOperationType]: "send",
      [attribute.messagingDestination]: channel,
      [attribute.messageCount]: elements.length,
    },
  };
}

/** Delivers a batch in sync mode and replies with the outcomes; undefined if another call has taken over the batch. */
async function deliverAndReply(
  { inbox, deliverNow, observer }: StorePorts,
  { timeoutMs, late }: NonNullable<Channel["sync"]>,
  batch: CheckedDelivery,
  batchId: string,
): Promise<Uint8Array | undefined> {
  const { channel, requestId, body, elements, routes, trace } = batch;
  const now = { channel, requestId, body, elements, routes, trace, batchId };
  const outcomes = await deliverNow(now, timeoutMs).catch((error: unknown): readonly RouteOutcome[] => {
    observer.failed(channel, "sync_delivery", error);
    return [];
  });
  const outcome = decideSync(elements, routes, outcomes, late);
  const failures = [...batch.failures, ...outcome.failures].sort((a, b) => a.index - b.index);
  if (outcome.kind === "failed") {
    await inbox.release(batchId);
    return encodeReply(failures, { returnCode: 1, returnMessage: "no target responded in time" });
  }
  const reply = encodeReply(failures);
  const { kind } = await inbox.complete(batchId, { reply, results: outcome.results });
  return kind === "finished" ? reply : undefined;
}
