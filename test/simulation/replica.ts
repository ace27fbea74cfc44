import { type Clock, createWait } from "../../base/async/clock.ts";
import type { Scheduler } from "./scheduler.ts";

/** One process of the service, which may be stopped, continued and killed at any moment. */
export class Replica {
  readonly name: string;
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #atKill: (() => void)[] = [];
  #isAlive = true;
  #stoppedUntilMs = 0;

  constructor(name: string, scheduler: Scheduler, { skewMs, rate }: ReplicaClock) {
    this.name = name;
    this.#scheduler = scheduler;
    const after: Clock["after"] = (ms, call) =>
      scheduler.after(Math.max(ms / rate, leastTimerMs), () => this.deliver(call));
    this.clock = {
      now: () => Math.round(historyStartMs + skewMs + scheduler.nowMs * rate),
      monotonicMs: () => 1_000 + skewMs + scheduler.nowMs * rate,
      after,
      wait: createWait(after),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Lets the process see something: at once, when it continues, or never. */
  deliver(call: () => void): void {
    if (!this.#isAlive) return;
    const leftMs = this.#stoppedUntilMs - this.#scheduler.nowMs;
    if (leftMs <= 0) call();
    else this.#scheduler.after(leftMs, () => this.deliver(call));
  }

  stop(ms: number): void {
    this.#scheduler.note(() => `${this.name} is stopped for ${ms} ms`);
    this.#stoppedUntilMs = this.#scheduler.nowMs + ms;
  }

  kill(): void {
    if (!this.#isAlive) return;
    this.#scheduler.note(() => `${this.name} is killed`);
    this.#isAlive = false;
    for (const call of this.#atKill) call();
  }

  /** Calls a function when the process is killed, as the system does which closes its connections. */
  onKill(call: () => void): void {
    this.#atKill.push(call);
  }
}

export interface ReplicaClock {
  /** What its clocks are ahead of the database's. */
  readonly skewMs: number;
  /** How fast its clocks are: 1 is exact. */
  readonly rate: number;
}

/** Time passes with each timer, as it does in a computer, so that no timer comes too early by rounding. */
const leastTimerMs = 0.001;

/** The time at which histories begin, in milliseconds since 1970. */
export const historyStartMs = 1_700_000_000_000;
