import {
  type Admission,
  admit,
  type BreakerPolicy,
  type BreakerState,
  type CallEnd,
  closedBreaker,
  settleCall,
} from "../../../base/async/breaker.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { SharedRate } from "../../../base/async/shared-rate.ts";
import type { RateSlot } from "../../../base/async/window-pacer.ts";

export interface CallLimiterOptions {
  /** Concurrent calls. */
  readonly concurrency: number;
  /** Rate of calls over all processes; undefined: no limit. */
  readonly rate: CallRate | undefined;
  readonly breaker: BreakerPolicy;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly onBreaker: (state: BreakerState["kind"]) => void;
}

export interface CallRate extends Pick<SharedRate, "take"> {
  /** Calls per second. */
  readonly limit: number;
}

const unlimited: RateSlot = { begin: () => true, done() {} };

/** Urgent calls, for which a sender waits, precede normal ones. */
export type Priority = "urgent" | "normal";

/** Reports the end of an admitted call. */
export type EndCall = (end: CallEnd) => void;

interface Waiting {
  readonly resolve: (endCall: EndCall | undefined) => void;
  readonly signal: AbortSignal;
}

/** Admits calls of a target: it limits their concurrency and rate, and refuses all while the breaker is open. */
export class CallLimiter {
  readonly #options: CallLimiterOptions;
  readonly #waiting: Readonly<Record<Priority, Set<Waiting>>> = { urgent: new Set(), normal: new Set() };
  readonly #closed = new AbortController();
  #state: BreakerState = closedBreaker;
  /** When the breaker opened; undefined while it is closed. */
  #openedMs: number | undefined;
  #calls = 0;
  /** Unused slots of the rate, and the number of requested ones. */
  readonly #slots: RateSlot[] = [];
  #requested = 0;

  constructor(options: CallLimiterOptions) {
    this.#options = options;
  }

  get calls(): number {
    return this.#calls;
  }

  get waiting(): number {
    return this.#waiting.urgent.size + this.#waiting.normal.size;
  }

  /** Whether no call is open or waits. */
  get isIdle(): boolean {
    return this.#calls + this.waiting === 0;
  }

  get breaker(): BreakerState {
    return this.#state;
  }

  /** The monotonic time at which the breaker opened; undefined while it is closed. */
  get openedMs(): number | undefined {
    return this.#openedMs;
  }

  /** Resolves when the call may begin; with undefined if it must not, because of the signal or the breaker. */
  acquire(priority: Priority, signal: AbortSignal): Promise<EndCall | undefined> {
    const { promise, resolve } = Promise.withResolvers<EndCall | undefined>();
    if (signal.aborted) return Promise.resolve(undefined);
    const queue = this.#waiting[priority];
    const entry: Waiting = {
      signal,
      resolve: (endCall) => {
        signal.removeEventListener("abort", end);
        resolve(endCall);
      },
    };
    const end = (): void => {
      queue.delete(entry);
      entry.resolve(undefined);
    };
    signal.addEventListener("abort", end, { once: true });
    queue.add(entry);
    this.#pump();
    return promise;
  }

  /** Stops to request slots of the rate. */
  close(): void {
    this.#closed.abort(closed);
  }

  #pump(): void {
    const { concurrency, clock, rate } = this.#options;
    while (this.#calls < concurrency && this.waiting > 0) {
      const nowMs = clock.monotonicMs();
      const slot = rate === undefined ? unlimited : this.#slots.shift();
      const { admission, state } = admit(this.#state, nowMs);
      if (admission === undefined) {
        slot?.done();
        this.#refuseAll();
        break;
      }
      if (slot === undefined) {
        this.#requestSlots();
        break;
      }
      if (slot.begin()) {
        this.#change(state);
        this.#calls++;
        this.#takeFirst().resolve(this.#createEnd(admission, slot));
      } else slot.done();
    }
    // Other processes may need the slots that are not needed here now.
    for (const slot of this.#slots.splice(0)) slot.done();
  }

  /** Requests a slot of the rate for each call that could begin now. */
  #requestSlots(): void {
    const { concurrency, rate } = this.#options;
    const wanted = Math.min(this.waiting, concurrency - this.#calls);
    while (rate !== undefined && this.#requested < wanted) {
      this.#requested++;
      rate.take(rate.limit, this.#closed.signal).then(
        (slot) => {
          this.#requested--;
          this.#slots.push(slot);
          this.#pump();
        },
        () => this.#requested--,
      );
    }
  }

  #takeFirst(): Waiting {
    const { urgent, normal } = this.#waiting;
    const queue = urgent.size > 0 ? urgent : normal;
    const [first] = queue;
    queue.delete(first!);
    return first!;
  }

  #createEnd(admission: Admission, slot: RateSlot): EndCall {
    return (end) => {
      const { clock, breaker } = this.#options;
      slot.done();
      this.#calls--;
      this.#change(settleCall(this.#state, admission, end, clock.monotonicMs(), breaker));
      this.#pump();
    };
  }

  #change(state: BreakerState): void {
    const before = this.#state;
    this.#state = state;
    if (state.kind === "closed") this.#openedMs = undefined;
    else this.#openedMs ??= this.#options.clock.monotonicMs();
    if (before.kind !== state.kind) this.#options.onBreaker(state.kind);
  }

  #refuseAll(): void {
    const entries = [...this.#waiting.urgent, ...this.#waiting.normal];
    this.#waiting.urgent.clear();
    this.#waiting.normal.clear();
    for (const entry of entries) entry.resolve(undefined);
  }
}

/** Created once: without a reason, each abort creates an error with a stack trace. */
const closed = new Error("no more calls begin");

/** The conditions under which a call of a lane begins and ends. */
export interface CallTerms {
  readonly priority: Priority;
  /** Prevents the call from beginning when it is aborted. */
  readonly queueSignal: AbortSignal;
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /** Reports whether the call may begin; called just before. */
  readonly mayBegin?: (() => Promise<boolean>) | undefined;
  /** Called when the call begins; returns a function that is called when it ends. */
  readonly begun?: (() => () => void) | undefined;
}
