import type { Clock } from "../../../base/async/clock.ts";
import { Notifier } from "../../../base/async/notifier.ts";
import { Semaphore } from "../../../base/async/semaphore.ts";
import type { SharedRate } from "../../../base/async/shared-rate.ts";
import type { Turn } from "../../../base/async/window-pacer.ts";
import type { ChannelStore, LeasedBatch, Outcome } from "../../../store/channels/channels.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { judgeOutcome } from "../verdict/verdict.ts";
import type { Beginner } from "./beginner.ts";
import { attempt } from "./call/attempt.ts";
import { outcomeOf } from "./call/outcome.ts";
import { Speed } from "./call/speed.ts";
import type { HeldBatch, LeaseKeeper } from "./leases.ts";
import type { DeliveryObserver } from "./observer.ts";
import type { RunBook } from "./run-book.ts";
import type { Settler } from "./settler.ts";

export interface LaneOptions {
  readonly store: ChannelStore;
  readonly clock: Clock;
  readonly leases: LeaseKeeper;
  readonly beginner: Beginner;
  readonly settler: Settler;
  readonly observer: DeliveryObserver;
  readonly runs: RunBook;
  readonly exchangeTo: (url: string) => Exchange;
  /** Of this channel; it outlives the lane. */
  readonly rate: SharedRate;
  readonly owner: string;
  readonly leaseMs: number;
  /** Requests under way at a time. */
  readonly maxInFlight: number;
  /** How long a lane may not look for work. */
  readonly pollMs: number;
  /** Aborted when nothing more is begun. */
  readonly stopping: AbortSignal;
}

/** Bodies in memory, roughly. */
const maxHeldBytes = 67_108_864;
/** The first time it isn't known how large bodies are. */
const firstLease = 8;
/** What is leased at a time at most. */
const maxHeld = 1_000;
/** What is sent in this time is leased ahead: the store may take as long for a commit. */
const aheadMs = 500;
/** A batch that another replica has locked is due and yet not to be had. */
const shortestWaitMs = 20;
const unlimited: Turn = { begin: () => true, done() {} };

/** Sends the batches of one channel. */
export class Lane {
  readonly #channelId: string;
  readonly #options: LaneOptions;
  readonly #changes: Notifier;
  #queue: HeldBatch[] = [];
  /** Those that wait for a turn, by run. */
  readonly #waiting = new Map<string, Set<AbortController>>();
  /** When runs were looked at that were waited for; monotonic. */
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** On their way to be sent, or under way. */
  #inFlight = 0;
  readonly #calls: Semaphore;
  /** How long the last mark of an attempt took to be stored. */
  #markMs = 0;
  /** Whether calls wait for turns. */
  #isPaced = true;
  /** Leased and not settled. */
  #held = 0;
  #averageBytes = 0;
  readonly #sent: Speed;
  /** By the monotonic clock: until then there is nothing to lease, unless one is told otherwise. */
  #quietUntilMs = 0;

  constructor(channelId: string, options: LaneOptions) {
    this.#channelId = channelId;
    this.#options = options;
    this.#changes = new Notifier(options.clock);
    this.#sent = new Speed(options.clock);
    this.#calls = new Semaphore(options.maxInFlight);
  }

  wake(): void {
    this.#quietUntilMs = 0;
    this.#changes.notify();
  }

  /** Until nothing is left to be sent, or it is to stop; then what is not under way is given back. */
  async run(): Promise<void> {
    const { stopping, observer, pollMs } = this.#options;
    while (!stopping.aborted) {
      let waitMs: number | null = pollMs;
      try {
        await this.#dropEnded();
        waitMs = await this.#fill();
      } catch (error) {
        observer.failed("lease batches", error);
      }
      if (waitMs === null && this.#held === 0) return;
      await this.#changes.wait(waitMs ?? pollMs);
    }
    const unsent = this.#queue.splice(0);
    await Promise.all(unsent.map((held) => this.#settle(held, { kind: "released" })));
    while (this.#held > 0) await this.#changes.wait(pollMs);
  }

  /** Leases what there is room for. Answers how long to wait; null: nothing is left. */
  async #fill(): Promise<number | null> {
    const { store, clock, leases, leaseMs, owner, maxInFlight, pollMs } = this.#options;
    const quietMs = this.#quietUntilMs - clock.monotonicMs();
    const ahead = Math.max(3 * maxInFlight, Math.min(maxHeld, (this.#sent.perSecond() * aheadMs) / 1_000));
    const most = Math.max(1, Math.floor(Math.min(ahead, maxHeldBytes / this.#averageBytes)));
    const room = (this.#averageBytes === 0 ? firstLease : most) - this.#held;
    // Leasing a few at a time would be a commit for each few.
    const isEnough = room <= 0 || (room < maxInFlight / 2 && this.#queue.length > 0);
    if (isEnough || quietMs > 0) return isEnough ? pollMs : Math.min(pollMs, quietMs);
    const asked = clock.monotonicMs();
    const request = { channelId: this.#channelId, maxBatches: room, leaseMs, owner };
    const { batches, nextDueInMs } = await store.leaseBatches(request);
    for (const batch of batches) {
      this.#averageBytes = 0.9 * (this.#averageBytes || batch.body.length) + 0.1 * batch.body.length;
      this.#queue.push(leases.hold(batch, asked));
      this.#held++;
    }
    this.#pump();
    if (nextDueInMs === null) return null;
    if (batches.length === room) return 0;
    const waitMs = Math.min(pollMs, Math.max(shortestWaitMs, nextDueInMs));
    this.#quietUntilMs = asked + waitMs;
    return waitMs;
  }

  /** What is left of a cancelled run doesn't wait for the turns of others. */
  async #dropEnded(): Promise<void> {
    const { clock, runs, pollMs } = this.#options;
    const now = clock.monotonicMs();
    if (now - this.#lookedMs < pollMs) return;
    this.#lookedMs = now;
    for (const runId of new Set([...this.#waiting.keys(), ...this.#queue.map(({ batch }) => batch.runId)])) {
      if (await runs.isUnderWay(runId)) continue;
      for (const waiting of this.#waiting.get(runId) ?? []) waiting.abort();
      const dropped = this.#queue.filter(({ batch }) => batch.runId === runId);
      this.#queue = this.#queue.filter(({ batch }) => batch.runId !== runId);
      for (const held of dropped) void this.#settle(held, { kind: "released" });
    }
  }

  /**
   * Attempts are marked while others are under way, but no more of them than are
   * sent meanwhile: those that are marked when the process dies count. With a
   * rate, a mark waits for its turn.
   */
  #pump(): void {
    const { maxInFlight, stopping } = this.#options;
    const sentMeanwhile = this.#isPaced ? 0 : Math.ceil((this.#sent.perSecond() * this.#markMs) / 1_000);
    const most = maxInFlight + Math.min(maxInFlight, sentMeanwhile);
    while (this.#inFlight < most && this.#queue.length > 0 && !stopping.aborted) {
      this.#inFlight++;
      void this.#send(this.#queue.shift()!);
    }
  }

  async #send(held: HeldBatch): Promise<void> {
    let outcome: Outcome | undefined = { kind: "released" };
    try {
      outcome = await this.#attempt(held);
    } catch (error) {
      this.#options.observer.failed("send a batch", error);
    }
    this.#inFlight--;
    this.#sent.add();
    this.#pump();
    await this.#settle(held, outcome);
  }

  /** Undefined: it was broken off, and is no longer this one's to settle. */
  async #attempt({ batch, signal }: HeldBatch): Promise<Outcome | undefined> {
    const { clock, runs, exchangeTo, observer, stopping } = this.#options;
    const plan = await runs.plan(batch.runId);
    const { timeoutMs, rateLimit, validation } = plan;
    this.#isPaced = rateLimit >= 1;
    const headers = plan.headers(batch.body);
    const turn = await this.#awaitTurn(batch, rateLimit);
    // Of a run that was cancelled it fails by that.
    if (turn === null) return signal.aborted ? undefined : { kind: "released" };
    if (signal.aborted || stopping.aborted) {
      turn.done();
      return signal.aborted ? undefined : { kind: "released" };
    }
    const began = clock.monotonicMs();
    const request = { headers, body: batch.body, timeoutMs };
    const result = await attempt(exchangeTo(plan.url), request, clock, signal).finally(() => turn.done());
    if (signal.aborted && result.kind === "cancelled") return undefined;
    const verdict = judgeOutcome(result, batch.size, validation);
    const outcome = outcomeOf(verdict, batch, plan);
    observer.attempted({
      channelId: this.#channelId,
      runId: batch.runId,
      number: batch.number,
      messages: batch.size,
      outcome: outcome.kind,
      durationMs: clock.monotonicMs() - began,
      reason: verdict.kind === "failed" ? verdict.reason : undefined,
      warnings: verdict.kind === "accepted" ? verdict.warnings : [],
    });
    return outcome;
  }

  /** When its time has come, and it is to be sent at once; null: it is not to be sent any more. */
  async #awaitTurn({ runId, token }: LeasedBatch, limit: number): Promise<Turn | null> {
    const { stopping } = this.#options;
    try {
      for (;;) {
        const turn = limit < 1 ? unlimited : await this.#takeTurn(runId, limit);
        if (turn === null) return null;
        const slot = await this.#begin(runId, token).catch((error: unknown) => {
          turn.done();
          throw error;
        });
        const done = (): void => {
          turn.done();
          slot?.[Symbol.dispose]();
        };
        if (slot !== null && turn.begin()) return { ...turn, done };
        done();
        if (slot === null) return null;
      }
    } catch (error) {
      // What waits when it is to stop is released.
      if (stopping.aborted) return null;
      throw error;
    }
  }

  /** Marks the attempt and waits for a slot, to be disposed of after the call; null: the batch must not be sent. */
  async #begin(runId: string, token: string): Promise<Disposable | null> {
    const { runs, beginner, clock } = this.#options;
    if (!(await runs.isUnderWay(runId))) return null;
    const asked = clock.monotonicMs();
    if (!(await beginner.begin(token))) return null;
    this.#markMs = clock.monotonicMs() - asked;
    return await this.#calls.acquire();
  }

  /** Null: the run has ended. */
  async #takeTurn(runId: string, limit: number): Promise<Turn | null> {
    const { runs, rate } = this.#options;
    if (!(await runs.isUnderWay(runId))) return null;
    const own = new AbortController();
    const waiting = this.#waiting.get(runId) ?? new Set();
    this.#waiting.set(runId, waiting.add(own));
    try {
      return await rate.take(limit, own.signal);
    } catch (error) {
      if (own.signal.aborted) return null;
      throw error;
    } finally {
      waiting.delete(own);
      if (waiting.size === 0) this.#waiting.delete(runId);
    }
  }

  async #settle({ batch }: HeldBatch, outcome: Outcome | undefined): Promise<void> {
    const { settler, leases, clock } = this.#options;
    if (outcome !== undefined) {
      await settler.settle({ token: batch.token, outcome });
      leases.drop(batch.token);
    }
    this.#held--;
    const now = clock.monotonicMs();
    if (this.#held === 0) this.#quietUntilMs = now;
    if (outcome?.kind === "retry") {
      this.#quietUntilMs = Math.min(this.#quietUntilMs, now + outcome.afterMs);
    }
    this.#changes.notify();
  }
}
