import { backoffMs, halfJitter } from "../../base/async/backoff.ts";
import { errorMessage } from "../../base/text/system-error.ts";
import type { SpooledRecord } from "./read-batch.ts";
import type { RecordReceiver, SendOutcome } from "./records.ts";

/** Receives what happens to forwarded records, for metrics and logs. */
export interface ForwardObserver {
  forwarded(records: number): void;
  /** Tried again after `delayMs`, without a limit of attempts. */
  retried(outcome: Exclude<SendOutcome, { kind: "taken" | "refused" }>, delayMs: number): void;
  /** The receiver will never accept this record; it is stored as a dead letter. */
  dead(record: Uint8Array, reason: string): void;
  /** A file could not be read or written; forwarding continues nevertheless. */
  failed(error: unknown): void;
}

export interface ForwardDelays {
  /** The maximum of the first delay, which doubles with each attempt. */
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** The delay while the receiver does not know the appid. */
  readonly unknownAppidMs: number;
}

export interface DeliveryOptions {
  readonly receiver: Pick<RecordReceiver, "send">;
  /** Resolves when the record is stored on disk with the reason. */
  readonly keepDead: (record: Uint8Array, reason: string) => Promise<void>;
  readonly observer: ForwardObserver;
  readonly delays: ForwardDelays;
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  /** Ends waits and prevents new calls. */
  readonly stop: AbortSignal;
  /** Aborts calls in progress. */
  readonly cut: AbortSignal;
}

const damagedReason = "damaged in the spool: its checksum is of other bytes";

/** Called when all records up to this one are accepted or dead. */
type Settle = (last: SpooledRecord) => Promise<void>;

/**
 * Sends records in their order, for as long as it takes. Refused records are halved until the bad ones
 * stand alone: n records with one bad one take about 2·log2(n) further calls.
 * @returns a function which resolves to false when it was stopped before the end
 */
export function createDelivery(
  options: DeliveryOptions,
): (records: readonly SpooledRecord[], settle: Settle) => Promise<boolean> {
  const { receiver, observer, delays, stop, cut } = options;

  async function send(records: readonly Uint8Array[]): Promise<SendOutcome | undefined> {
    for (let attempt = 1; !stop.aborted; attempt++) {
      const outcome = await receiver.send(records, cut).catch(
        (error: unknown): SendOutcome => ({
          kind: "retry",
          reason: errorMessage(error),
        }),
      );
      if (outcome.kind === "taken" || outcome.kind === "refused") return outcome;
      if (stop.aborted) return undefined;
      const delayMs = delayOf(outcome, attempt);
      observer.retried(outcome, delayMs);
      await options.wait(delayMs, stop);
    }
    return undefined;
  }
  function delayOf(outcome: SendOutcome, attempt: number): number {
    if (outcome.kind === "unknown_appid") return delays.unknownAppidMs;
    const delayMs = halfJitter(backoffMs(attempt, delays), options.random());
    return outcome.kind === "retry" ? delayMs + (outcome.afterMs ?? 0) : delayMs;
  }
  async function saveDead(record: Uint8Array, reason: string): Promise<boolean> {
    while (!stop.aborted) {
      try {
        await options.keepDead(record, reason);
        observer.dead(record, reason);
        return true;
      } catch (error) {
        observer.failed(error);
        await options.wait(delays.maxDelayMs, stop);
      }
    }
    return false;
  }
  /** Sends records; a damaged record becomes a dead letter and is never sent. */
  async function deliver(records: readonly SpooledRecord[], settle: Settle): Promise<boolean> {
    for (let start = 0; start < records.length; ) {
      const found = records.findIndex(({ isDamaged }, at) => at >= start && isDamaged);
      const end = found === -1 ? records.length : found;
      if (end > start && !(await deliverIntact(records.slice(start, end), settle))) return false;
      const damaged = records[end];
      if (damaged !== undefined && !(await saveDead(damaged.bytes, damagedReason))) return false;
      if (damaged !== undefined) await settle(damaged);
      start = end + 1;
    }
    return true;
  }
  async function deliverIntact(records: readonly SpooledRecord[], settle: Settle): Promise<boolean> {
    const outcome = await send(records.map(({ bytes }) => bytes));
    const [first] = records;
    const last = records.at(-1);
    if (outcome === undefined || first === undefined || last === undefined) return false;
    if (outcome.kind === "refused" && records.length > 1) {
      const middle = records.length >> 1;
      return (
        (await deliverIntact(records.slice(0, middle), settle)) &&
        (await deliverIntact(records.slice(middle), settle))
      );
    }
    if (outcome.kind === "taken") observer.forwarded(records.length);
    else if (outcome.kind !== "refused" || !(await saveDead(first.bytes, outcome.reason))) return false;
    await settle(last);
    return true;
  }
  return deliver;
}
