import { setImmediate as nextTurn } from "node:timers/promises";
import { backoffMs, fullJitter } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { ElementOutcome, Inbox, WorkItem } from "../../../store/inbox/inbox.ts";
import type { TargetOutcome } from "../targets/target.ts";
import type { AnsweredMessages } from "./answered.ts";
import type { DeliveryObserver } from "./observer.ts";
import { type RetryPolicy, toElementOutcome } from "./retry.ts";

export interface HeldItemOptions {
  readonly inbox: Pick<Inbox, "extend" | "settle" | "clockMs">;
  readonly policy: RetryPolicy;
  readonly clock: Pick<Clock, "wait">;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly observer: DeliveryObserver;
  /** Aborted when there is no more time to settle anything. */
  readonly signal: AbortSignal;
  /** Counts what is answered and not settled. */
  readonly answered: Pick<AnsweredMessages, "add" | "settled">;
  /** Called once: everything is settled, or somebody else has the messages. */
  readonly onEnd: (held: HeldItem) => void;
}

const maxSettleWaitMs = 5_000;

/**
 * A leased item while its messages are under way. What is done or dead is
 * settled at once, in one commit with all that came in during the commit
 * before. Messages to be tried again are settled at the end, so that they stay
 * together as one item.
 */
export class HeldItem {
  readonly item: WorkItem;
  readonly #options: HeldItemOptions;
  readonly #queue = new AbortController();
  readonly #delayMs: number;
  /** Elements without an outcome. */
  #open: number;
  #unsettled: number;
  #ready: ElementOutcome[] = [];
  /** How many of those that are ready the target has answered. */
  #answered = 0;
  #retries: { readonly index: number; readonly outcome: TargetOutcome }[] = [];
  #isSettling = false;
  #isEnded = false;

  constructor(item: WorkItem, options: HeldItemOptions) {
    this.item = item;
    this.#options = options;
    this.#open = item.elements.length;
    this.#unsettled = item.elements.length;
    this.#delayMs = fullJitter(backoffMs(item.attempt, options.policy), options.random());
  }

  /** Aborted when messages that wait for their turn must not be sent any more. */
  get queueSignal(): AbortSignal {
    return this.#queue.signal;
  }

  /** Messages leased and not settled. */
  get messages(): number {
    return this.#unsettled;
  }

  /** @param indexes one outcome for each */
  record(indexes: readonly number[], outcomes: readonly TargetOutcome[]): void {
    outcomes.forEach((outcome, at) => {
      const index = indexes[at]!;
      if (outcome.kind === "retry") this.#retries.push({ index, outcome });
      else {
        this.#ready.push(this.#toSettle(index, outcome));
        if (this.#isEnded) return;
        this.#answered++;
        this.#options.answered.add(1);
      }
    });
    this.#close(outcomes.length);
  }

  /** The messages were not sent: leasable at once, and the attempt doesn't count. */
  giveBack(indexes: readonly number[]): void {
    this.#ready.push(...indexes.map((index) => ({ index, kind: "returned" }) as const));
    this.#close(indexes.length);
  }

  /** None of the messages is sent any more, and they are not tried again. */
  giveUp(reason: string): void {
    const { elements } = this.item;
    this.#ready.push(
      ...elements.map(({ index }) => ({ index, kind: "dead", reason, isUnsent: true }) as const),
    );
    this.#close(elements.length);
  }

  /** Messages that wait for their turn are not sent any more. */
  stopQueue(): void {
    this.#queue.abort();
  }

  async extend(leaseMs: number): Promise<void> {
    const { inbox, observer } = this.#options;
    try {
      const { kind } = await inbox.extend(this.item.token, leaseMs);
      // What was settled meanwhile is stale too, and no loss.
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
    void this.#settleReady();
  }

  async #settleReady(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    while (this.#ready.length > 0 && !this.#isEnded) {
      // What ends in the same turn of the event loop goes into one commit.
      await nextTurn();
      const outcomes = this.#ready;
      this.#ready = [];
      const answered = this.#answered;
      this.#answered = 0;
      const isSettled = await this.#settle(outcomes);
      this.#options.answered.settled(answered);
      if (!isSettled) this.#lose();
      this.#unsettled -= outcomes.length;
    }
    this.#isSettling = false;
    if (this.#open === 0 && !this.#isEnded) this.#end();
  }

  /** False when somebody else has the messages, or there is no more time. */
  async #settle(outcomes: readonly ElementOutcome[]): Promise<boolean> {
    const { inbox, clock, observer, signal } = this.#options;
    for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, maxSettleWaitMs)) {
      try {
        const { kind } = await inbox.settle(this.item.token, outcomes);
        return kind === "settled";
      } catch (error) {
        observer.inboxFailed(this.item.target, "settle", error);
        await clock.wait(waitMs, signal);
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
    this.#options.answered.settled(this.#answered);
    this.#answered = 0;
    this.#options.onEnd(this);
  }
}
