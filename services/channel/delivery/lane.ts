import type { Clock } from "../../../base/async/clock.ts";
import { Notifier } from "../../../base/async/notifier.ts";
import { Semaphore } from "../../../base/async/semaphore.ts";
import type { SharedRate } from "../../../base/async/shared-rate.ts";
import type { RateSlot } from "../../../base/async/window-pacer.ts";
import { type Tracer, traceIdOf } from "../../../base/trace/trace.ts";
import type { ChannelStore, LeasedBatch, Outcome } from "../../../store/channels/channels.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { judgeOutcome } from "../judge-reply/judge-reply.ts";
import type { AttemptMarker } from "./attempt-marker.ts";
import { BodyMemory } from "./body/body-memory.ts";
import { writeBody } from "./body/write-body.ts";
import { attempt } from "./call/attempt.ts";
import { outcomeOf } from "./call/outcome.ts";
import { RateMeter } from "./call/rate-meter.ts";
import { tracedExchange } from "./call/traced-exchange.ts";
import type { HeldBatch, LeaseKeeper } from "./leases.ts";
import type { DeliveryObserver } from "./observer.ts";
import type { RunPlans } from "./run-plans.ts";
import type { Settler } from "./settler.ts";

export interface LaneOptions {
  readonly store: ChannelStore;
  readonly clock: Clock;
  readonly leases: LeaseKeeper;
  readonly marker: AttemptMarker;
  readonly settler: Settler;
  readonly observer: DeliveryObserver;
  readonly runs: RunPlans;
  readonly exchangeTo: (url: string) => Exchange;
  /** The rate of the channel. It outlives the lane. */
  readonly rate: SharedRate;
  readonly owner: string;
  readonly leaseMs: number;
  /** Requests in flight at a time. */
  readonly maxInFlight: number;
  /** Longest time between two looks for work. */
  readonly pollMs: number;
  /** Aborted when the lane must not start further requests. */
  readonly stopping: AbortSignal;
  /** Continues the traces of runs. Default: they are only passed on. */
  readonly tracer?: Tracer | undefined;
}

/** Approximate limit of the bodies of leased batches. */
const maxHeldBytes = 67_108_864;
/** Batches of the first lease, when the size of bodies is not known yet: more than most pages of the store have. */
const firstLease = 64;
/** Batches that are leased at a time. */
const maxHeld = 1_000;
/** Time for which batches are leased in advance, because a commit of the store may take as long. */
const aheadMs = 500;
/** A batch that another replica has locked is due, but cannot be leased yet. */
const shortestWaitMs = 20;
const unlimited: RateSlot = { begin: () => true, done() {} };

/** Sends the batches of one channel. */
export class Lane {
  readonly #channelId: string;
  readonly #options: LaneOptions;
  readonly #changes: Notifier;
  #queue: HeldBatch[] = [];
  /** Batches that wait for the rate, by run. */
  readonly #waiting = new Map<string, Set<AbortController>>();
  /** Monotonic time of the last check for ended runs. */
  #checkedRunsMs = Number.NEGATIVE_INFINITY;
  /** Batches that are marked, waiting for the rate or in flight. */
  #inFlight = 0;
  readonly #calls: Semaphore;
  /** Duration of the last mark of an attempt, in milliseconds. */
  #markMs = 0;
  /** Whether the channel has a rate limit. */
  #isPaced = true;
  /** Batches that are leased and not settled. */
  #held = 0;
  #averageBytes = 0;
  /** Batches that were stored together with the next one. */
  #together = 1;
  readonly #bodies = new BodyMemory();
  readonly #sent: RateMeter;
  /** Monotonic time until which there is nothing to lease, unless the store gives notice. */
  #quietUntilMs = 0;

  constructor(channelId: string, options: LaneOptions) {
    this.#channelId = channelId;
    this.#options = options;
    this.#changes = new Notifier(options.clock);
    this.#sent = new RateMeter(options.clock);
    this.#calls = new Semaphore(options.maxInFlight);
  }

  wake(): void {
    this.#quietUntilMs = 0;
    this.#changes.notify();
  }

  /** Resolves when no batch is left, or after `stopping`; then it has returned the batches that are not in flight. */
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

  /** Leases batches if there is room. Returns how long to wait; null: no batch is left. */
  async #fill(): Promise<number | null> {
    const { store, clock, leases, leaseMs, owner, maxInFlight, pollMs } = this.#options;
    const quietMs = this.#quietUntilMs - clock.monotonicMs();
    const ahead = Math.max(3 * maxInFlight, Math.min(maxHeld, (this.#sent.perSecond() * aheadMs) / 1_000));
    const most = Math.max(1, Math.floor(Math.min(ahead, maxHeldBytes / this.#averageBytes)));
    const room = (this.#averageBytes === 0 ? firstLease : most) - this.#held;
    // Leasing few batches at a time costs a commit for each few, and a row for each that is taken out of a page.
    const few = Math.max(maxInFlight / 2, Math.min(this.#together, most - maxInFlight));
    const isEnough = room <= 0 || (room < few && this.#queue.length > 0);
    if (isEnough || quietMs > 0) return isEnough ? pollMs : Math.min(pollMs, quietMs);
    const startedMs = clock.monotonicMs();
    const request = { channelId: this.#channelId, maxBatches: room, leaseMs, owner, wholePages: true };
    const { batches, nextDueInMs, nextCount } = await store.leaseBatches(request);
    this.#together = nextCount;
    for (const batch of batches) {
      this.#queue.push(leases.hold(batch, startedMs));
      this.#held++;
    }
    this.#pump();
    if (nextDueInMs === null) return null;
    if (batches.length === room || (batches.length > 0 && nextDueInMs === 0)) return 0;
    const waitMs = Math.min(pollMs, Math.max(shortestWaitMs, nextDueInMs));
    this.#quietUntilMs = startedMs + waitMs;
    return waitMs;
  }

  /** Releases the batches of ended runs, which must not wait for the rate. */
  async #dropEnded(): Promise<void> {
    const { clock, runs, pollMs } = this.#options;
    const now = clock.monotonicMs();
    if (now - this.#checkedRunsMs < pollMs) return;
    this.#checkedRunsMs = now;
    for (const runId of new Set([...this.#waiting.keys(), ...this.#queue.map(({ batch }) => batch.runId)])) {
      if (await runs.isUnderWay(runId)) continue;
      for (const waiting of this.#waiting.get(runId) ?? []) waiting.abort();
      const dropped = this.#queue.filter(({ batch }) => batch.runId === runId);
      this.#queue = this.#queue.filter(({ batch }) => batch.runId !== runId);
      for (const held of dropped) void this.#settle(held, { kind: "released" });
    }
  }

  /**
   * Starts to send batches. Attempts are marked while others are in flight, but not more than can be sent meanwhile:
   * attempts that are marked when the process dies count. With a rate limit, a batch is marked when the rate allows it.
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

  /** Makes one attempt; undefined: it was aborted because its lease was lost, so it must not be settled. */
  async #attempt({ batch, ending, ending: { signal } }: HeldBatch): Promise<Outcome | undefined> {
    const { clock, runs, exchangeTo, observer, stopping, tracer } = this.#options;
    const plan = await runs.plan(batch.runId);
    const { timeoutMs, rateLimit, validation, trace, url } = plan;
    this.#isPaced = rateLimit >= 1;
    const body = this.#writeBody(batch);
    const headers = plan.headers(body);
    const slot = await this.#acquireSlot(batch, rateLimit);
    // The store fails the batches of a cancelled run.
    if (slot === null) return signal.aborted ? undefined : { kind: "released" };
    if (signal.aborted || stopping.aborted) {
      slot.done();
      return signal.aborted ? undefined : { kind: "released" };
    }
    const began = clock.monotonicMs();
    const request = { headers, body, timeoutMs, bodyTaken: () => this.#bodies.free(body) };
    const exchange = tracedExchange(exchangeTo(url), { tracer, trace, url }, batch);
    const result = await attempt(exchange, request, clock, ending).finally(() => slot.done());
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
      traceId: trace && traceIdOf(trace),
    });
    return outcome;
  }

  #writeBody({ readPayload, freePayload }: LeasedBatch): Uint8Array {
    const payload = readPayload();
    const body = writeBody(payload, this.#bodies);
    freePayload(payload);
    this.#averageBytes = 0.9 * (this.#averageBytes || body.length) + 0.1 * body.length;
    return body;
  }

  /** Waits for the rate, marks the attempt and waits for a call slot; null: the batch must not be sent any more. */
  async #acquireSlot({ runId, token }: LeasedBatch, limit: number): Promise<RateSlot | null> {
    const { stopping } = this.#options;
    try {
      for (;;) {
        const slot = limit < 1 ? unlimited : await this.#takeSlot(runId, limit);
        if (slot === null) return null;
        const callSlot = await this.#begin(runId, token).catch((error: unknown) => {
          slot.done();
          throw error;
        });
        const done = (): void => {
          slot.done();
          callSlot?.[Symbol.dispose]();
        };
        if (callSlot !== null && slot.begin()) return { ...slot, done };
        done();
        if (callSlot === null) return null;
      }
    } catch (error) {
      // Batches that wait when the lane stops are released.
      if (stopping.aborted) return null;
      throw error;
    }
  }

  /**
   * Marks the attempt and waits for a call slot. The result must be disposed of after the call; null: the batch must
   * not be sent.
   */
  async #begin(runId: string, token: string): Promise<Disposable | null> {
    const { runs, marker, clock } = this.#options;
    if (!(await runs.isUnderWay(runId))) return null;
    const startedMs = clock.monotonicMs();
    if (!(await marker.mark(token))) return null;
    this.#markMs = clock.monotonicMs() - startedMs;
    return await this.#calls.acquire();
  }

  /** Waits for the rate; null: the run has ended. */
  async #takeSlot(runId: string, limit: number): Promise<RateSlot | null> {
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
