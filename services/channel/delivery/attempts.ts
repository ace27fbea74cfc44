import type { Clock } from "../../../base/async/clock.ts";
import type { SharedRate } from "../../../base/async/shared-rate.ts";
import type { RateSlot } from "../../../base/async/window-pacer.ts";
import type { Outcome } from "../../../store/channels/channels.ts";
import type { AttemptMarker } from "./attempt-marker.ts";
import { RateMeter } from "./call/rate-meter.ts";
import type { HeldBatch } from "./leases.ts";
import type { DeliveryObserver } from "./observer.ts";
import type { RunPlan, RunPlans } from "./run-plans.ts";

export interface AttemptsOptions {
  readonly clock: Clock;
  readonly marker: AttemptMarker;
  readonly observer: Pick<DeliveryObserver, "failed">;
  readonly runs: RunPlans;
  /** The rate of the channel. */
  readonly rate: SharedRate;
  /** Requests in flight at a time. */
  readonly maxInFlight: number;
  /** Aborted when no further requests may start. */
  readonly stopping: AbortSignal;
}

export interface AttemptsPorts {
  /** Sends a batch and resolves with the outcome; undefined: its lease was lost. */
  readonly send: (held: HeldBatch, plan: RunPlan) => Promise<Outcome | undefined>;
  /** Receives each batch once. @param outcome undefined: its lease was lost, so it must not be settled */
  readonly settle: (held: HeldBatch, outcome: Outcome | undefined) => void;
}

/** Attempts are marked this long before their calls, so that one commit marks many. */
const gatherMs = 20;
const released: Outcome = { kind: "released" };

/**
 * Makes the attempts of the batches of one channel, in their order: marks each one and sends it when fewer than the
 * most requests are in flight. With a rate limit, a batch is marked when the rate allows its request. Without one,
 * attempts are marked in groups while others are in flight, but no more than are sent until about the next mark.
 * Attempts that are marked ahead when the process dies count, so there are never more of those than may be in flight.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #ports: AttemptsPorts;
  readonly #sent: RateMeter;
  #queue: HeldBatch[] = [];
  /** Batches without a rate limit whose attempts are marked. */
  #marked: HeldBatch[] = [];
  /** Batches that wait for the rate, by run. */
  readonly #waiting = new Map<string, Set<AbortController>>();
  /** Batches that wait for the rate or are being sent. */
  #inFlight = 0;
  /** Those of them with a rate limit that are not sent yet: their attempts may be marked. */
  #paced = 0;
  /** Batches of the group that is being marked. */
  #marking = 0;
  #isReading = false;
  /** Duration of the last mark, in milliseconds. */
  #markMs = 0;

  constructor(options: AttemptsOptions, ports: AttemptsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#sent = new RateMeter(options.clock);
  }

  /** The number of batches whose attempts are not marked. */
  get waiting(): number {
    return this.#queue.length;
  }

  sentPerSecond(): number {
    return this.#sent.perSecond();
  }

  /** Makes attempts of these batches after those that were added before. */
  add(batches: readonly HeldBatch[]): void {
    this.#queue.push(...batches);
    this.#go();
  }

  /** Releases the batches that are not in flight; to be called when `stopping` is aborted. */
  release(): void {
    this.#drop(() => true);
  }

  /** Releases the batches of runs that have ended, which must not wait for the rate. */
  async dropEnded(): Promise<void> {
    const unsent = [...this.#marked, ...this.#queue];
    for (const runId of new Set([...this.#waiting.keys(), ...unsent.map(({ batch }) => batch.runId)])) {
      if (await this.#options.runs.isUnderWay(runId)) continue;
      for (const waiting of this.#waiting.get(runId) ?? []) waiting.abort();
      this.#drop(({ batch }) => batch.runId === runId);
    }
  }

  #drop(isDropped: (held: HeldBatch) => boolean): void {
    const dropped = [...this.#marked, ...this.#queue].filter(isDropped);
    this.#marked = this.#marked.filter((held) => !isDropped(held));
    this.#queue = this.#queue.filter((held) => !isDropped(held));
    for (const held of dropped) this.#release(held);
  }

  /** Starts what may start. */
  #go(): void {
    const { maxInFlight, stopping } = this.#options;
    while (this.#inFlight < maxInFlight && this.#marked.length > 0 && !stopping.aborted) {
      const plan = this.#planOf(this.#marked[0]!);
      if (plan === undefined) return;
      this.#inFlight++;
      void this.#send(this.#marked.shift()!, plan);
    }
    while (this.#queue.length > 0 && !stopping.aborted) {
      const plan = this.#planOf(this.#queue[0]!);
      if (plan === undefined) return;
      if (plan.rateLimit < 1) {
        this.#markGroup();
        return;
      }
      if (this.#inFlight >= maxInFlight || this.#mayBeMarked >= maxInFlight) return;
      this.#inFlight++;
      this.#paced++;
      void this.#sendPaced(this.#queue.shift()!, plan);
    }
  }

  /** The number of attempts that are not made, but may be marked. */
  get #mayBeMarked(): number {
    return this.#marked.length + this.#marking + this.#paced;
  }

  /** Returns the plan of a batch's run if its state is known, and reads it otherwise. Ended runs are dropped. */
  #planOf({ batch: { runId } }: HeldBatch): RunPlan | undefined {
    const plan = this.#options.runs.current(runId);
    if (plan === undefined) void this.#read(runId);
    return plan;
  }

  async #read(runId: string): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const isUnderWay = await this.#options.runs.isUnderWay(runId).catch((error: unknown) => {
      this.#options.observer.failed("send a batch", error);
      return false;
    });
    this.#isReading = false;
    if (!isUnderWay) this.#drop(({ batch }) => batch.runId === runId);
    this.#go();
  }

  /** Marks the next batches, which are of one run, unless enough are marked. */
  #markGroup(): void {
    if (this.#marking > 0) return;
    const { maxInFlight } = this.#options;
    const perMs = this.#sent.perSecond() / 1_000;
    if (this.#marked.length > perMs * this.#markMs) return;
    const ahead = Math.min(maxInFlight, Math.ceil(perMs * (this.#markMs + gatherMs)));
    const wanted = maxInFlight - this.#inFlight + ahead - this.#marked.length;
    const room = Math.min(wanted, maxInFlight - this.#mayBeMarked);
    if (room <= 0) return;
    const { runId } = this.#queue[0]!.batch;
    const other = this.#queue.findIndex(({ batch }) => batch.runId !== runId);
    void this.#mark(this.#queue.splice(0, other === -1 ? room : Math.min(room, other)));
  }

  async #mark(group: readonly HeldBatch[]): Promise<void> {
    const { marker, clock, observer } = this.#options;
    const startedMs = clock.monotonicMs();
    this.#marking = group.length;
    try {
      const lost = await marker.mark(group.map(({ batch }) => batch.token));
      this.#markMs = clock.monotonicMs() - startedMs;
      for (const held of group) {
        if (lost.has(held.batch.token)) this.#release(held);
        else this.#marked.push(held);
      }
    } catch (error) {
      observer.failed("send a batch", error);
      for (const held of group) this.#release(held);
    }
    this.#marking = 0;
    if (this.#options.stopping.aborted) this.release();
    else this.#go();
  }

  async #sendPaced(held: HeldBatch, plan: RunPlan): Promise<void> {
    const { observer, stopping } = this.#options;
    let slot: RateSlot | null = null;
    try {
      slot = await this.#acquireSlot(held, plan.rateLimit);
    } catch (error) {
      // Batches that wait when the lane stops are released.
      if (!stopping.aborted) observer.failed("send a batch", error);
    }
    this.#paced--;
    if (slot !== null) {
      await this.#send(held, plan, slot);
      return;
    }
    this.#end();
    this.#release(held);
  }

  /** Makes a marked attempt. @param slot of the rate, if there is one */
  async #send(held: HeldBatch, plan: RunPlan, slot?: RateSlot): Promise<void> {
    const { stopping, observer } = this.#options;
    const { signal } = held.ending;
    let outcome: Outcome | undefined = signal.aborted ? undefined : released;
    try {
      if (!signal.aborted && !stopping.aborted) {
        outcome = await this.#ports.send(held, plan);
        this.#sent.add();
      }
    } catch (error) {
      observer.failed("send a batch", error);
    }
    slot?.done();
    this.#end();
    this.#ports.settle(held, outcome);
  }

  #end(): void {
    this.#inFlight--;
    this.#go();
  }

  /** Waits for the rate and marks the attempt; null: the batch must not be sent any more. */
  async #acquireSlot({ batch: { runId, token } }: HeldBatch, limit: number): Promise<RateSlot | null> {
    const { runs, marker } = this.#options;
    for (;;) {
      const slot = await this.#takeSlot(runId, limit);
      if (slot === null) return null;
      let isBegun = false;
      try {
        if (!(await runs.isUnderWay(runId)) || (await marker.mark([token])).has(token)) return null;
        isBegun = slot.begin();
        if (isBegun) return slot;
      } finally {
        if (!isBegun) slot.done();
      }
    }
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

  /** The store fails the batches of a cancelled run. */
  #release(held: HeldBatch): void {
    this.#ports.settle(held, held.ending.signal.aborted ? undefined : released);
  }
}
