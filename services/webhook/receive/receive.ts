import { JsonFault } from "../../../base/json/fault.ts";
import { freeWhole } from "../../../base/memory/free.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import type { Trace } from "../../../base/trace/trace.ts";
import {
  type BatchAuth,
  type BatchElement,
  InboxFullError,
  InboxUnavailableError,
  type Route,
} from "../../../store/inbox/inbox.ts";
import type { Channel } from "../channels.ts";
import type { Explain } from "../explain/explainer.ts";
import { unknownChannel } from "./admit.ts";
import { applyPushIdRules } from "./apply-push-ids.ts";
import { authenticate } from "./authenticate.ts";
import { type CheckedBatch, checkElements } from "./elements.ts";
import { encodeReply } from "./encode-reply.ts";
import type { CheckPushIds } from "./push-ids.ts";
import { Refusal } from "./refusal.ts";
import { createRunningBatches } from "./running-batches.ts";
import { NotAnArrayError, type ScannedBatch, scanBatch, TooManyElementsError } from "./scan.ts";
import { type StorePorts, storeBatch } from "./store-batch.ts";

export interface ReceiverOptions extends StorePorts {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly explain: Explain;
  /** Returns the routes of accepted elements; default: all elements to each target of the channel. */
  readonly routesOf?: RoutesOf;
  readonly checkPushIds?: CheckPushIds;
}

export type RoutesOf = (
  channel: Channel,
  batch: { readonly body: Buffer; readonly elements: readonly BatchElement[] },
) => readonly Route[];

/** One call of Receive. */
export interface Incoming {
  readonly channel: string;
  /** The exact bytes, which are stored unchanged. Their memory may be freed when the reply is there. */
  readonly body: Buffer;
  /** The body before its content encoding was decoded. */
  readonly encoded?: Uint8Array | undefined;
  /** Headers of an HTTP call, which its signature authenticates. Undefined: the caller is authenticated already. */
  readonly headers: Pick<Headers, "get"> | undefined;
  /** Faults of elements that the body does not contain, by 0-based index. */
  readonly faults?: ReadonlyMap<number, string>;
  /** The trace of the call, which the delivery of its messages continues. */
  readonly trace?: Trace | undefined;
}

/** Receives a call and returns the bytes of the reply. @throws Refusal */
export type Receive = (incoming: Incoming) => Promise<Uint8Array>;

/**
 * Creates the receiver of batches, from the bytes of a call to the bytes of its reply.
 *
 * A call is authenticated (`authenticate.ts`), scanned (`scan.ts`) and its elements are checked (`elements.ts`,
 * `apply-push-ids.ts`). The batch is stored once with its reply (`store-batch.ts`); in sync mode the reply follows the
 * outcomes of the targets (`sync-outcome.ts`). `admit.ts` refuses calls by their head, before the body is read.
 */
export function createReceiver(options: ReceiverOptions): Receive {
  const { channels, observer } = options;
  const running = createRunningBatches();
  return async (incoming) => {
    try {
      const channel = channels.get(incoming.channel);
      if (channel === undefined) throw unknownChannel(incoming.channel);
      const reply = await receive(channel, incoming);
      // In sync mode an attempt may go on after the reply.
      if (channel.sync === undefined) freeWhole(incoming.body);
      return reply;
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal === undefined) throw error;
      observer.refused(incoming.channel, refusal, incoming.body);
      throw refusal;
    }
  };

  async function receive(channel: Channel, incoming: Incoming): Promise<Uint8Array> {
    const { body, headers, faults, trace } = incoming;
    const { maxBytes } = channel;
    if (body.length > maxBytes) {
      const message = `body of ${exactCountOf(body.length, "byte")} is larger than the limit of ${maxBytes}`;
      throw new Refusal("too_large", message);
    }
    const auth =
      headers === undefined
        ? authOfTyped(channel)
        : authenticate(channel, { ...incoming, headers }, options.now(), options.explain);
    const scanned = scanBatch(body, channel.scanLimits, channel.elementShapes);
    if (scanned.elements.length === 0) return encodeReply([]);
    const checked = checkElements(body, scanned, faults);
    warn(channel, scanned, checked.requestIdCount);
    const work = (): Promise<Uint8Array> => store(channel, { body, auth, trace }, checked);
    const { requestId } = checked;
    if (requestId === null) return work();
    return running.join(`${channel.name}\n${requestId}`, body, work);
  }

  async function store(
    channel: Channel,
    received: Pick<Incoming, "body" | "trace"> & {
      readonly auth: BatchAuth;
    },
    checked: CheckedBatch,
  ): Promise<Uint8Array> {
    const { accepted: elements, failures } = await applyPushIdRules(
      channel,
      checked,
      options.checkPushIds,
      observer,
    );
    const { requestId } = checked;
    if (requestId === null && elements.length === 0) return encodeReply(failures);
    const routes = elements.length === 0 ? [] : routesOf(channel, received.body, elements);
    const { name, dedupeWindowMs } = channel;
    const ids = { channel: name, requestId, dedupeWindowMs };
    return storeBatch(options, channel, { ...received, ...ids, elements, routes, failures });
  }

  function routesOf(channel: Channel, body: Buffer, elements: readonly BatchElement[]): readonly Route[] {
    return options.routesOf === undefined
      ? channel.targets.map((target) => ({ target, indexes: "all" as const }))
      : options.routesOf(channel, { body, elements });
  }

  function warn({ name }: Channel, scanned: ScannedBatch, requestIds: number): void {
    const { duplicateKeys, numbersForText, oddReceiptValues } = scanned;
    if (duplicateKeys.count === 0 && numbersForText === 0 && oddReceiptValues === 0 && requestIds < 2) return;
    observer.warned(name, { duplicateKeys, numbersForText, oddReceiptValues, requestIds });
  }
}

/** Returns how the caller of another protocol than REST was authenticated: a channel with secrets needs one. */
function authOfTyped({ secrets }: Channel): BatchAuth {
  return { scheme: secrets === undefined ? "none" : "caller" };
}

/** Converts an error to a refusal; undefined for an internal error. */
function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof JsonFault) return new Refusal("bad_body", `body is not valid JSON: ${error.message}`);
  if (error instanceof NotAnArrayError || error instanceof TooManyElementsError) {
    return new Refusal("bad_body", error.message);
  }
  if (error instanceof InboxFullError) {
    const detail = error.message;
    return new Refusal("unavailable", "the inbox is full", { retryAfterMs: 30_000, detail, cause: error });
  }
  if (error instanceof InboxUnavailableError) {
    const detail = error.message;
    return new Refusal("unavailable", "the inbox is unavailable", {
      retryAfterMs: 5_000,
      detail,
      cause: error,
    });
  }
  return undefined;
}
