import { backoffMs } from "../../../base/async/backoff.ts";
import { Semaphore } from "../../../base/async/semaphore.ts";
import type { AttemptRecord, LeaseResult, WorkItem } from "../../../store/inbox/inbox.ts";
import { type HandedBatch, indexesOf, splitBatch, type TargetOutcome } from "../targets/target.ts";
import type { AttemptResult } from "./attempt.ts";
import { CallLimiter, type CallTerms } from "./call-limiter.ts";
import { CallMarker } from "./call-marker.ts";
import { HeldItem } from "./held-item.ts";
import type { LaneOptions } from "./lane-options.ts";
import { type LaneRate, openLaneRate } from "./lane-rate.ts";
import type { LaneState } from "./observer.ts";
import { overdueReason } from "./retry-policy.ts";
import { tracedAttempt } from "./traced-attempt.ts";
import { UncommittedOutcomes } from "./uncommitted-outcomes.ts";

/** Time after a crash until other processes take over; a process that hangs for longer loses its leases. */
const leaseMs = 15_000;
/** Messages that a lane leases; it leases again below half of it. */
const maxHeldMessages = 1_000;
const maxLeaseBytes = 8 * 1_048_576;
/** Longest time between two polls, which find the work of other replicas and ended leases. */
const maxIdleMs = 1_000;
const idleDelays = { minDelayMs: 40, maxDelayMs: maxIdleMs };
/** Waits while the inbox is unavailable. */
const failureDelays = { minDelayMs: 100, maxDelayMs: 5_000 };
/** Created once: without a reason, each abort creates an error with a stack trace. */
const woken = new Error("woken");

/** The outcomes of messages by index, and the attempts that they are of. */
export interface DeliveredNow {
  readonly outcomes: ReadonlyMap<number, TargetOutcome>;
  readonly attempts: readonly AttemptRecord[];
}

/** Delivers the messages of one target. Lanes share nothing but the inbox. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #limiter: CallLimiter;
  readonly #rate: LaneRate | undefined;
  readonly #marker: CallMarker;
  readonly #held = new Set<HeldItem>();
  /** Calls of messages that were being sent when a process died run one at a time: one may crash it again. */
  readonly #suspects = new Semaphore(1);
  readonly #uncommitted = new UncommittedOutcomes();
  readonly #stop = new AbortController();
  /** Aborts calls. */
  readonly #abortCalls = new AbortController();
  /** Stops retries of settlements. */
  readonly #end = new AbortController();
  readonly #sleeps = new Set<AbortController>();
  #isWoken = false;
  /** Whether the last poll found nothing. If so, the end of a call does not cause a poll. */
  #isIdle = false;
  #isLeasing = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LaneOptions) {
    this.#options = options;
    const { name, policy, inbox, clock, observer } = options;
    this.#marker = new CallMarker({
      inbox,
      clock,
      failed: (error) => observer.inboxFailed(name, "begin", error),
    });
    this.#rate =
      policy.maxPerSecond === undefined
        ? undefined
        : openLaneRate(policy.maxPerSecond, {
            name,
            inbox,
            clock,
            signal: this.#end.signal,
            failed: (error) => observer.inboxFailed(name, "share a rate", error),
          });
    this.#limiter = new CallLimiter({
      ...policy,
      clock,
      rate: this.#rate,
      onBreaker: (kind) => {
        observer.breakerChanged(name, kind);
        this.wake();
      },
    });
  }

  start(): void {
    this.#isLeasing = true;
    this.#running = Promise.all([this.#lease(), this.#extendLeases()]);
  }

  /** Polls the inbox at once. */
  wake(): void {
    this.#isWoken = true;
    for (const sleep of this.#sleeps) sleep.abort(woken);
  }

  state(): LaneState {
    const { name } = this.#options;
    const { breaker, openedMs, calls } = this.#limiter;
    const nextTryMs = breaker.kind === "open" ? breaker.untilMs : undefined;
    return { target: name, breaker: breaker.kind, openedMs, nextTryMs, calls, held: this.#heldMessages() };
  }

  /**
   * Delivers messages that are not leased, before leased ones. Returns outcomes by index; messages whose call did not
   * begin, or had not ended when `signal` was aborted, have none.
   */
  async deliverNow(batch: HandedBatch, signal: AbortSignal): Promise<DeliveredNow> {
    const attempts: AttemptRecord[] = [];
    const outcomes = new Map<number, TargetOutcome>();
    const calls = splitBatch(batch, this.#options.target.maxMessages).map(async (part) => {
      const found = await this.#call(part, { priority: "urgent", queueSignal: signal, signal });
      if (found === undefined) return;
      for (const [at, { index }] of part.elements.entries()) outcomes.set(index, found.outcomes[at]!);
      attempts.push(...found.attempts);
    });
    await Promise.all(calls);
    if (this.#stop.signal.aborted) this.wake();
    return { outcomes, attempts };
  }

  /** Releases waiting messages, lets calls finish for `drainMs`, aborts the others. May be called again with less. */
  async stop(drainMs: number): Promise<void> {
    this.#stop.abort();
    this.wake();
    for (const held of this.#held) held.stopQueue();
    await this.#untilIdle(drainMs);
    this.#abortCalls.abort();
    await this.#untilIdle(maxIdleMs);
    this.#end.abort();
    this.#limiter.close();
    this.#marker.close();
    await this.#rate?.leave();
    await this.#running;
  }

  async #lease(): Promise<void> {
    let idlePolls = 0;
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      const pauseMs = this.#pauseMs();
      if (pauseMs > 0) {
        await this.#pause(pauseMs);
        continue;
      }
      const result = await this.#leaseOnce();
      if (result === undefined) {
        await this.#options.clock.wait(backoffMs(++failures, failureDelays), this.#stop.signal);
        continue;
      }
      failures = 0;
      for (const item of result.items) this.#start(item);
      this.#isIdle = result.items.length === 0;
      idlePolls = this.#isIdle ? idlePolls + 1 : 0;
      if (this.#isIdle && !this.#stop.signal.aborted) {
        await this.#pause(this.#idleMs(result, backoffMs(idlePolls, idleDelays)));
      }
      this.#isIdle = false;
    }
    this.#isLeasing = false;
    this.wake();
  }

  /** Returns how long not to lease; 0: lease now. */
  #pauseMs(): number {
    const { breaker, waiting } = this.#limiter;
    if (breaker.kind === "half-open") return Number.POSITIVE_INFINITY;
    if (breaker.kind === "open") return Math.max(0, breaker.untilMs - this.#options.clock.monotonicMs());
    const isBusy = waiting >= this.#options.policy.concurrency || this.#heldMessages() > maxHeldMessages / 2;
    return isBusy ? Number.POSITIVE_INFINITY : 0;
  }

  #idleMs({ nextDueAtMs }: LeaseResult, idleMs: number): number {
    if (nextDueAtMs === null) return idleMs;
    return Math.min(idleMs, Math.max(1, nextDueAtMs - this.#options.inbox.clockMs()));
  }

  /** Waits for `ms`, or until `wake`; returns at once if `wake` was called since the last poll. */
  async #pause(ms: number): Promise<void> {
    if (this.#isWoken) return;
    const sleep = new AbortController();
    this.#sleeps.add(sleep);
    await this.#options.clock.wait(ms, sleep.signal);
    this.#sleeps.delete(sleep);
  }

  /** Leases once. Not aborted by a stop, so that the leased messages are known and can be released. */
  async #leaseOnce(): Promise<LeaseResult | undefined> {
    const { name: target, inbox, observer, target: sink } = this.#options;
    const room = maxHeldMessages - this.#heldMessages();
    // One call is enough to find out whether the target has recovered.
    const maxElements = this.#limiter.breaker.kind === "open" ? Math.min(sink.maxMessages, room) : room;
    try {
      return await inbox.lease({ target, maxElements, maxBytes: maxLeaseBytes, leaseMs });
    } catch (error) {
      observer.inboxFailed(target, "lease", error);
      return undefined;
    }
  }

  #start(item: WorkItem): void {
    const { inbox, target, policy, clock, random, observer } = this.#options;
    const held = new HeldItem(item, {
      inbox,
      policy: policy.retry,
      clock,
      random,
      observer,
      signal: this.#end.signal,
      uncommitted: this.#uncommitted,
      onEnd: () => {
        this.#held.delete(held);
        this.#progress();
      },
    });
    this.#held.add(held);
    if (this.#stop.signal.aborted) held.stopQueue();
    const reason = overdueReason(item, policy.retry, inbox.clockMs());
    if (reason !== undefined) {
      held.giveUp(reason);
      return;
    }
    for (const part of splitBatch(item, target.maxMessages)) void this.#send(held, part);
  }

  async #send(held: HeldItem, part: HandedBatch): Promise<void> {
    const { token, isSuspect, attempt } = held.item;
    const call = { token, indexes: indexesOf(part) };
    using alone = isSuspect && attempt > 1 ? await this.#suspects.acquire() : undefined;
    const called = await this.#call(part, {
      priority: "normal",
      queueSignal: held.queueSignal,
      signal: this.#abortCalls.signal,
      mayBegin: isSuspect ? () => this.#marker.markFirst(call) : undefined,
      begun: isSuspect ? undefined : () => this.#marker.mark(call),
    });
    if (called === undefined) held.release(call.indexes);
    else held.record(call.indexes, called.outcomes, called.attempts);
    // The next one may crash the process, which would cost this one an attempt if its outcome were not stored.
    if (alone !== undefined) await held.settled();
    this.#progress();
  }

  /** Wakes the lane, because it may have room again. */
  #progress(): void {
    if (!this.#isIdle) this.wake();
  }

  /** Calls the target; undefined if the call did not begin. */
  async #call(
    part: HandedBatch,
    { priority, queueSignal, signal, mayBegin, begun }: CallTerms,
  ): Promise<Pick<AttemptResult, "outcomes" | "attempts"> | undefined> {
    const { name, policy, clock, observer, attempted } = this.#options;
    const endCall = await this.#limiter.acquire(priority, queueSignal);
    if (endCall === undefined) return undefined;
    if (priority === "normal" && this.#uncommitted.isFull) await this.#uncommitted.untilRoom(signal);
    if (mayBegin !== undefined && !(await mayBegin())) {
      endCall({ kind: "none" });
      return undefined;
    }
    const options = { timeoutMs: policy.timeoutMs, clock, signal, priority };
    const ended = begun?.();
    const { outcomes, attempts, end, report } = await tracedAttempt(this.#options, part, options);
    ended?.();
    endCall(end);
    observer.called(name, report);
    attempted?.(part, attempts);
    return { outcomes, attempts };
  }

  async #extendLeases(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      await clock.wait(leaseMs / 3, signal);
      if (!signal.aborted) await Promise.all([...this.#held].map((held) => held.extend(leaseMs)));
    }
  }

  /** Waits until no message is leased and no call is open, at most `ms`. */
  async #untilIdle(ms: number): Promise<void> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + ms;
    const isBusy = (): boolean => this.#held.size > 0 || this.#isLeasing || !this.#limiter.isIdle;
    while (isBusy() && clock.monotonicMs() < untilMs) {
      this.#isWoken = false;
      await this.#pause(untilMs - clock.monotonicMs());
    }
  }

  #heldMessages(): number {
    let messages = 0;
    for (const held of this.#held) messages += held.messages;
    return messages;
  }
}
