import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { backoffMs, fullJitter } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { AttemptRecord, ElementOutcome, Inbox, WorkItem } from "../../../store/inbox/inbox.ts";
import type { TargetOutcome } from "../targets/target.ts";
import type { DeliveryObserver } from "./observer.ts";
import { type RetryPolicy, toElementOutcome } from "./retry-policy.ts";
import type { UncommittedOutcomes } from "./uncommitted-outcomes.ts";

export interface HeldItemOptions {
  readonly inbox: Pick<Inbox, "extend" | "settle" | "clockMs">;
  readonly policy: RetryPolicy;
  readonly clock: Pick<Clock, "wait">;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly observer: DeliveryObserver;
  /** Aborted when there is no time left to settle. */
  readonly signal: AbortSignal;
  /** Counts outcomes that are not settled. */
  readonly uncommitted: Pick<UncommittedOutcomes, "add" | "settled">;
  /** Called once, when everything is settled or the lease is lost. */
  readonly onEnd: (held: HeldItem) => void;
}

/** Waits before settling again while the inbox is unavailable. */
const settleDelays = { minDelayMs: 50, maxDelayMs: 5_000 };

/**
 * A leased item with messages in delivery. Outcomes `done` and `dead` are settled at once, in one commit with those
 * that arrived during the previous commit. Messages to be retried are settled at the end, so that they stay together as
 * one item.
 */
export class HeldItem {
  readonly item: WorkItem;
  readonly #options: HeldItemOptions;
  readonly #queue = new AbortController();
  readonly #delayMs: number;
  /** Number of elements without an outcome. */
  #open: number;
  #unsettled: number;
  #ready: ElementOutcome[] = [];
  /** Number of ready outcomes that count as uncommitted. */
  #uncommitted = 0;
  #retries: { readonly index: number; readonly outcome: TargetOutcome }[] = [];
  /** Attempts that are not settled. */
  #attempts: AttemptRecord[] = [];
  #isSettling = false;
  #settling: Promise<void> = Promise.resolve();
  #isEnded = false;

  constructor(item: WorkItem, options: HeldItemOptions) {
    this.item = item;
    this.#options = options;
    this.#open = item.elements.length;
    this.#unsettled = item.elements.length;
    this.#delayMs = fullJitter(backoffMs(item.attempt, options.policy), options.random());
  }

  /** Aborted when waiting messages must not be sent any more. */
  get queueSignal(): AbortSignal {
    return this.#queue.signal;
  }

  /** Number of messages that are not settled. */
  get messages(): number {
    return this.#unsettled;
  }

  /** Records the outcome of each index, and the attempts that they are of. */
  record(
    indexes: readonly number[],
    outcomes: readonly TargetOutcome[],
    attempts: readonly AttemptRecord[],
  ): void {
    this.#attempts.push(...attempts);
    outcomes.forEach((outcome, at) => {
      const index = indexes[at]!;
      if (outcome.kind === "retry") this.#retries.push({ index, outcome });
      else {
        this.#ready.push(this.#toSettle(index, outcome));
        if (this.#isEnded) return;
        this.#uncommitted++;
        this.#options.uncommitted.add(1);
      }
    });
    this.#close(outcomes.length);
  }

  /** Resolves when the final outcomes that were recorded are settled, or will not be. */
  settled(): Promise<void> {
    return this.#settling;
  }

  /** Returns messages that were not sent: they can be leased at once, and the attempt does not count. */
  release(indexes: readonly number[]): void {
    this.#ready.push(...indexes.map((index) => ({ index, kind: "returned" }) as const));
    this.#close(indexes.length);
  }

  /** Settles all messages as dead letters without sending them. */
  giveUp(reason: string): void {
    const { elements } = this.item;
    this.#ready.push(
      ...elements.map(({ index }) => ({ index, kind: "dead", reason, isUnsent: true }) as const),
    );
    this.#close(elements.length);
  }

  /** Prevents waiting messages from being sent. */
  stopQueue(): void {
    this.#queue.abort();
  }

  async extend(leaseMs: number): Promise<void> {
    const { inbox, observer } = this.#options;
    try {
      const { kind } = await inbox.extend(this.item.token, leaseMs);
      // An item that was settled meanwhile is stale too, but not lost.
      if (kind === "stale" && !this.#isEnded && !this.#isSettling) this.#lose();
    } catch (error) {
      observer.inboxFailed(this.item.target, "extend", error);
    }
  }

  #toSettle(index: number, outcome: TargetOutcome): ElementOutcome {
    const { policy, inbox } = this.#options;
    const times = { nowMs: inbox.clockMs(), delayMs: this.#delayMs };
    return toElementOutcome(index, outcome, this.item, policy, times);
  }

  #close(count: number): void {
    this.#open -= count;
    if (this.#open === 0) {
      this.#ready.push(...this.#retries.map(({ index, outcome }) => this.#toSettle(index, outcome)));
      this.#retries = [];
    }
    if (!this.#isSettling) this.#settling = this.#settleReady();
  }

  async #settleReady(): Promise<void> {
    this.#isSettling = true;
    while (this.#ready.length > 0 && !this.#isEnded) {
      // Outcomes of the same iteration of the event loop share a commit.
      await yieldToEventLoop();
      const outcomes = this.#ready;
      this.#ready = [];
      const attempts = this.#attempts;
      this.#attempts = [];
      const uncommitted = this.#uncommitted;
      this.#uncommitted = 0;
      const isSettled = await this.#settle(outcomes, attempts);
      this.#options.uncommitted.settled(uncommitted);
      if (!isSettled) this.#lose();
      this.#unsettled -= outcomes.length;
    }
    this.#isSettling = false;
    if (this.#open === 0 && !this.#isEnded) this.#end();
  }

  /** Settles outcomes. Returns false if the lease is lost or there is no time left. */
  async #settle(outcomes: readonly ElementOutcome[], attempts: readonly AttemptRecord[]): Promise<boolean> {
    const { inbox, clock, observer, signal } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const { kind } = await inbox.settle(this.item.token, outcomes, { attempts });
        return kind === "settled";
      } catch (error) {
        observer.inboxFailed(this.item.target, "settle", error);
        await clock.wait(backoffMs(attempt, settleDelays), signal);
      }
    }
    return false;
  }

  #lose(): void {
    if (this.#isEnded) return;
    this.#options.observer.leaseLost(this.item.target, this.#unsettled);
    this.#end();
  }

  #end(): void {
    this.#isEnded = true;
    this.#queue.abort();
    this.#options.uncommitted.settled(this.#uncommitted);
    this.#uncommitted = 0;
    this.#options.onEnd(this);
  }
}
