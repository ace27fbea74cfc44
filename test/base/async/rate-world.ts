import { type Clock, createWait } from "../../../base/async/clock.ts";
import type { RateShareRequest } from "../../../base/async/rate-shares.ts";
import { SharedRate } from "../../../base/async/shared-rate.ts";
import { giveShare, type ShareRow } from "../../../store/sql/give-share.ts";
import { FakeClock } from "./fake-clock.ts";

/** The clock of one process: it calls nothing during a stall, and nothing after a kill. */
class ProcessClock implements Clock {
  readonly #clock: FakeClock;
  stalledUntilMs = 0;
  isDead = false;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  now = (): number => this.#clock.now();
  wait = createWait((ms, call) => this.after(ms, call));
  monotonicMs = (): number => this.#clock.monotonicMs();

  after(ms: number, call: () => void): () => void {
    let forget = (): void => {};
    const due = (): void => {
      const stallMs = this.stalledUntilMs - this.#clock.monotonicMs();
      if (stallMs > 0) forget = this.#clock.after(stallMs, due);
      else if (!this.isDead) call();
    };
    forget = this.#clock.after(ms, due);
    return () => forget();
  }
}

export interface Process {
  readonly clock: ProcessClock;
  /** When what it has sent was counted by the receiver. */
  readonly arrivals: number[];
  /** Requests that are to be sent; those who send wait for them. */
  work: number;
  leave(): Promise<void>;
  kill(): void;
}

export interface RateWorld {
  readonly clock: FakeClock;
  readonly processes: Process[];
  arrivals(): readonly number[];
  start(work: number, limit: number, options?: ProcessOptions): Process;
  /** Calls of the store. */
  readonly calls: { count: number };
}

export interface ProcessOptions {
  /** How far its clock of leases is off. */
  readonly skewMs?: number;
  readonly atOnce?: number;
}

/** Processes that send by one channel's rate, all by one clock. @param random from 0 to 1 */
export function openRateWorld(random: () => number): RateWorld {
  const clock = new FakeClock();
  const processes: Process[] = [];
  const calls = { count: 0 };
  let rows: readonly ShareRow[] = [];
  let lastKey = 0;

  function shareOf(key: number, asked: RateShareRequest, atMs: number) {
    calls.count++;
    const { share, own, changed, expired } = giveShare(rows, key, asked, atMs);
    const written = [...changed, own];
    const over = new Set([...expired, ...written.map((row) => row.share_key)]);
    rows = [...rows.filter((row) => !over.has(row.share_key)), ...written].filter(
      (row) => row.held > 0 || row.wanted > 0,
    );
    return { ...share, token: String(key) };
  }

  function start(work: number, limit: number, { skewMs = 0, atOnce = 8 }: ProcessOptions = {}): Process {
    const own = new ProcessClock(clock);
    const stopping = new AbortController();
    const pause = (of: Clock, ms: number) => new Promise<void>((resolve) => of.after(ms, resolve));
    const store = {
      async shareRate(request: RateShareRequest) {
        const atMs = Math.round(clock.now() + skewMs);
        await pause(clock, random() * 30);
        const answer = shareOf(Number(request.token ?? ++lastKey), request, atMs);
        await pause(own, random() * 30);
        return answer;
      },
      async leaveRate(token: string, afterMs: number) {
        const untilMs = clock.now() + skewMs + afterMs - 1_600;
        rows = rows.map((row) =>
          row.share_key === Number(token) ? { ...row, wanted: 0, until_ms: untilMs } : row,
        );
      },
    };
    const failed = (error: unknown): never => {
      throw error;
    };
    const rate = new SharedRate({ shares: store, clock: own, signal: stopping.signal, failed });
    const arrivals: number[] = [];

    async function send(): Promise<void> {
      process.work--;
      const turn = await rate.take(limit);
      await pause(own, random() * 5);
      if (!turn.begin()) {
        process.work++;
        turn.done();
        return;
      }
      const latencyMs = 1 + random() * 25;
      clock.after(latencyMs * random(), () => arrivals.push(clock.now()));
      await pause(own, latencyMs);
      turn.done();
    }

    async function sendAll(): Promise<void> {
      while (!stopping.signal.aborted) {
        if (process.work > 0) await send();
        else await pause(own, 50);
      }
    }

    const process: Process = {
      clock: own,
      arrivals,
      work,
      async leave() {
        stopping.abort(new Error("stopping"));
        await Promise.allSettled(sending);
        await rate.leave();
      },
      kill() {
        own.isDead = true;
      },
    };
    const sending = Array.from({ length: atOnce }, sendAll);
    processes.push(process);
    return process;
  }

  return { clock, processes, calls, start, arrivals: () => processes.flatMap(({ arrivals }) => arrivals) };
}
