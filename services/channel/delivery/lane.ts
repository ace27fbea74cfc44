import type { Clock } from "../../../base/async/clock.ts";
import { Notifier } from "../../../base/async/notifier.ts";
import type { SharedRate } from "../../../base/async/shared-rate.ts";
import { type Tracer, traceIdOf } from "../../../base/trace/trace.ts";
import type { ChannelStore, LeasedBatch, Outcome } from "../../../store/channels/channels.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { judgeOutcome } from "../judge-reply/judge-reply.ts";
import type { AttemptMarker } from "./attempt-marker.ts";
import { Attempts } from "./attempts.ts";
import { BodyMemory } from "./body/body-memory.ts";
import { writeBody } from "./body/write-body.ts";
import { attempt } from "./call/attempt.ts";
import { Deadlines } from "./call/deadlines.ts";
import { outcomeOf } from "./call/outcome.ts";
import { tracedExchange } from "./call/traced-exchange.ts";
import type { HeldBatch, LeaseKeeper } from "./leases.ts";
import type { DeliveryObserver } from "./observer.ts";
import type { RunPlan, RunPlans } from "./run-plans.ts";
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

/** Sends the batches of one channel. */
export class Lane {
  readonly #channelId: string;
  readonly #options: LaneOptions;
  readonly #changes: Notifier;
  readonly #attempts: Attempts;
  readonly #deadlines: Deadlines;
  /** Monotonic time of the last check for ended runs. */
  #checkedRunsMs = Number.NEGATIVE_INFINITY;
  /** Batches that are leased and not settled. */
  #held = 0;
  #averageBytes = 0;
  /** Batches that were stored together with the next one. */
  #together = 1;
  readonly #bodies = new BodyMemory();
  /** Monotonic time until which there is nothing to lease, unless the store gives notice. */
  #quietUntilMs = 0;

  constructor(channelId: string, options: LaneOptions) {
    this.#channelId = channelId;
    this.#options = options;
    this.#changes = new Notifier(options.clock);
    this.#deadlines = new Deadlines(options.clock);
    this.#attempts = new Attempts(options, {
      send: (held, plan) => this.#send(held, plan),
      settle: (held, outcome) => void this.#settle(held, outcome),
    });
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
    this.#attempts.release();
    while (this.#held > 0) await this.#changes.wait(pollMs);
  }

  /** Leases batches if there is room. Returns how long to wait; null: no batch is left. */
  async #fill(): Promise<number | null> {
    const { store, clock, leases, leaseMs, owner, maxInFlight, pollMs } = this.#options;
    const quietMs = this.#quietUntilMs - clock.monotonicMs();
    const ahead = Math.max(
      3 * maxInFlight,
      Math.min(maxHeld, (this.#attempts.sentPerSecond() * aheadMs) / 1_000),
    );
    const most = Math.max(1, Math.floor(Math.min(ahead, maxHeldBytes / this.#averageBytes)));
    const room = (this.#averageBytes === 0 ? firstLease : most) - this.#held;
    // Leasing few batches at a time costs a commit for each few, and a row for each that is taken out of a page.
    const few = Math.max(maxInFlight / 2, Math.min(this.#together, most - maxInFlight));
    const isEnough = room <= 0 || (room < few && this.#attempts.waiting > 0);
    if (isEnough || quietMs > 0) return isEnough ? pollMs : Math.min(pollMs, quietMs);
    const startedMs = clock.monotonicMs();
    const request = { channelId: this.#channelId, maxBatches: room, leaseMs, owner, wholePages: true };
    const { batches, nextDueInMs, nextCount } = await store.leaseBatches(request);
    this.#together = nextCount;
    this.#held += batches.length;
    this.#attempts.add(batches.map((batch) => leases.hold(batch, startedMs)));
    if (nextDueInMs === null) return null;
    if (batches.length === room || (batches.length > 0 && nextDueInMs === 0)) return 0;
    const waitMs = Math.min(pollMs, Math.max(shortestWaitMs, nextDueInMs));
    this.#quietUntilMs = startedMs + waitMs;
    return waitMs;
  }

  async #dropEnded(): Promise<void> {
    const { clock, pollMs } = this.#options;
    const now = clock.monotonicMs();
    if (now - this.#checkedRunsMs < pollMs) return;
    this.#checkedRunsMs = now;
    await this.#attempts.dropEnded();
  }

  /** Makes one attempt; undefined: it was aborted because its lease was lost. */
  async #send({ batch, ending }: HeldBatch, plan: RunPlan): Promise<Outcome | undefined> {
    const { clock, exchangeTo, observer, tracer } = this.#options;
    const { timeoutMs, validation, trace, url } = plan;
    const body = this.#writeBody(batch);
    const began = clock.monotonicMs();
    const bodyTaken = (): void => this.#bodies.free(body);
    const request = { headers: plan.headers(body), body, timeoutMs, bodyTaken };
    const exchange = tracedExchange(exchangeTo(url), { tracer, trace, url }, batch);
    const result = await attempt(exchange, request, this.#deadlines, ending);
    if (ending.signal.aborted && result.kind === "cancelled") return undefined;
    const verdict = judgeOutcome(result, batch.size, validation, plan.mask);
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
