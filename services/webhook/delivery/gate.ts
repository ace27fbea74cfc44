import type { Clock } from "../../../base/async/clock.ts";
import {
  type Admission,
  admit,
  type BreakerPolicy,
  type BreakerState,
  type CallEnd,
  closedBreaker,
  settleCall,
} from "./breaker.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";

export interface GateOptions {
  /** Calls at the same time. */
  readonly concurrency: number;
  /** Calls that begin in any one second; undefined: no limit. */
  readonly maxPerSecond: number | undefined;
  readonly breaker: BreakerPolicy;
  readonly clock: Clock;
  readonly onBreaker: (state: BreakerState["kind"]) => void;
}

/** `urgent`: a sender waits for it, so it passes those that nobody waits for. */
export type Priority = "urgent" | "normal";

/** Ends the call that was let through. */
export type Leave = (end: CallEnd) => void;

interface Waiting {
  readonly resolve: (leave: Leave | undefined) => void;
  readonly signal: AbortSignal;
}

/** Lets calls of one target begin: a limited number at a time and a second, none while the target is down. */
export class CallGate {
  readonly #options: GateOptions;
  readonly #rate: RateLimit | undefined;
  readonly #waiting: Readonly<Record<Priority, Set<Waiting>>> = { urgent: new Set(), normal: new Set() };
  readonly #closed = new AbortController();
  #state: BreakerState = closedBreaker;
  #calls = 0;
  #isTimerSet = false;

  constructor(options: GateOptions) {
    this.#options = options;
    const { maxPerSecond } = options;
    this.#rate = maxPerSecond === undefined ? undefined : createRateLimit(maxPerSecond);
  }

  get calls(): number {
    return this.#calls;
  }

  get waiting(): number {
    return this.#waiting.urgent.size + this.#waiting.normal.size;
  }

  get breaker(): BreakerState {
    return this.#state;
  }

  /** Resolves when the call may begin; with undefined when it must not: aborted, or the target is down. */
  enter(priority: Priority, signal: AbortSignal): Promise<Leave | undefined> {
    const { promise, resolve } = Promise.withResolvers<Leave | undefined>();
    if (signal.aborted) return Promise.resolve(undefined);
    const queue = this.#waiting[priority];
    const entry: Waiting = {
      signal,
      resolve: (leave) => {
        signal.removeEventListener("abort", end);
        resolve(leave);
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

  /** Ends its timer. */
  close(): void {
    this.#closed.abort();
  }

  #pump(): void {
    const { concurrency, clock } = this.#options;
    while (this.#calls < concurrency && this.waiting > 0) {
      const nowMs = clock.monotonicMs();
      const waitMs = this.#rate?.waitMs(nowMs) ?? 0;
      const { admission, state } = waitMs > 0 ? peek(this.#state, nowMs) : admit(this.#state, nowMs);
      if (admission === undefined) {
        this.#refuseAll();
        return;
      }
      if (waitMs > 0) {
        this.#pumpLater(waitMs);
        return;
      }
      this.#change(state);
      this.#rate?.take(nowMs);
      this.#calls++;
      this.#shift().resolve(this.#leave(admission));
    }
  }

  #shift(): Waiting {
    const { urgent, normal } = this.#waiting;
    const queue = urgent.size > 0 ? urgent : normal;
    const [first] = queue;
    queue.delete(first!);
    return first!;
  }

  #leave(admission: Admission): Leave {
    return (end) => {
      const { clock, breaker } = this.#options;
      this.#calls--;
      this.#change(settleCall(this.#state, admission, end, clock.monotonicMs(), breaker));
      this.#pump();
    };
  }

  #change(state: BreakerState): void {
    const before = this.#state;
    this.#state = state;
    if (before.kind !== state.kind) this.#options.onBreaker(state.kind);
  }

  #refuseAll(): void {
    const entries = [...this.#waiting.urgent, ...this.#waiting.normal];
    this.#waiting.urgent.clear();
    this.#waiting.normal.clear();
    for (const entry of entries) entry.resolve(undefined);
  }

  #pumpLater(waitMs: number): void {
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    void this.#options.clock.wait(waitMs, this.#closed.signal).then(() => {
      this.#isTimerSet = false;
      if (!this.#closed.signal.aborted) this.#pump();
    });
  }
}

/** Whether a call would be let through, without taking the place of the probe. */
function peek(state: BreakerState, nowMs: number): ReturnType<typeof admit> {
  return { ...admit(state, nowMs), state };
}
