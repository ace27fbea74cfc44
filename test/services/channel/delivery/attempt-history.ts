import type { SharedRate } from "../../../../base/async/shared-rate.ts";
import type { RateSlot } from "../../../../base/async/window-pacer.ts";
import type { AttemptMarker } from "../../../../services/channel/delivery/attempt-marker.ts";
import { Attempts } from "../../../../services/channel/delivery/attempts.ts";
import type { HeldBatch } from "../../../../services/channel/delivery/leases.ts";
import type { RunPlan, RunPlans } from "../../../../services/channel/delivery/run-plans.ts";
import type { LeasedBatch, Outcome } from "../../../../store/channels/channels.ts";
import { FakeClock } from "../../../base/async/fake-clock.ts";
import type { Random } from "../../../reference/random.ts";

interface Run {
  readonly plan: RunPlan;
  hasEnded: boolean;
  /** Monotonic time of the last read. */
  readMs: number;
  wasEnded: boolean;
}

/** What has happened to a batch. */
interface Course {
  readonly run: Run;
  isMarked: boolean;
  isSent: boolean;
  isSettled: boolean;
  /** The outcome of its request. */
  outcome: Outcome | undefined;
}

const succeeded: Outcome = { kind: "succeeded", failedItems: [], warnings: 0, segments: [] };
const freshMs = 250;

/** Attempts with a store, a receiver and a rate that take random times and fail at random. */
class History {
  readonly clock = new FakeClock();
  readonly stopping = new AbortController();
  readonly faults: string[] = [];
  readonly held: HeldBatch[] = [];
  readonly runs: ReadonlyMap<string, Run>;
  readonly attempts: Attempts;
  /** Slots of the rate that were taken and not given back, and those of them that were begun and not used. */
  slots = 0;
  begun = 0;
  inFlight = 0;
  /** Marks of batches without a rate limit that have not ended. */
  #groups = 0;
  readonly #random: Random;
  readonly #courses = new Map<string, Course>();
  readonly #maxInFlight: number;
  readonly #ms: Readonly<Record<"mark" | "send" | "read", number>>;
  readonly #chances: Readonly<Record<"mark" | "lost" | "send" | "read", number>>;

  constructor(random: Random, isCalm: boolean) {
    this.#random = random;
    this.#maxInFlight = random.int(1, 6);
    this.#ms = { mark: random.int(0, 60), send: random.int(0, 40), read: random.int(0, 30) };
    const chance = (some: number): number => (isCalm ? 0 : random.pick([0, some]));
    this.#chances = { mark: chance(0.2), lost: chance(0.1), send: chance(0.1), read: chance(0.1) };
    this.runs = new Map(
      Array.from({ length: random.int(1, 4) }, (_, i) => {
        const plan = { rateLimit: random.chance(0.3) ? 5 : -1 } as RunPlan;
        return [`r${i}`, { plan, hasEnded: false, readMs: Number.NEGATIVE_INFINITY, wasEnded: false }];
      }),
    );
    const options = {
      clock: this.clock,
      marker: { mark: (tokens: readonly string[]) => this.#mark(tokens) } as AttemptMarker,
      observer: { failed: () => {} },
      runs: this.#plans() as RunPlans,
      rate: { take: (_limit: number, signal: AbortSignal) => this.#takeSlot(signal) } as SharedRate,
      maxInFlight: this.#maxInFlight,
      stopping: this.stopping.signal,
    };
    this.attempts = new Attempts(options, {
      send: (held, plan) => this.#send(held, plan),
      settle: (held, outcome) => this.#settle(held, outcome),
    });
  }

  add(count: number): void {
    const runIds = [...this.runs.keys()];
    const some = Array.from({ length: count }, (_, i): HeldBatch => {
      const runId = this.#random.chance(0.7) ? "r0" : this.#random.pick(runIds);
      const batch = { token: `b${this.held.length + i}`, runId } as LeasedBatch;
      const run = this.runs.get(runId)!;
      const course = { run, isMarked: false, isSent: false, isSettled: false, outcome: undefined };
      this.#courses.set(batch.token, course);
      return { batch, ending: new AbortController() };
    });
    this.held.push(...some);
    this.attempts.add(some);
  }

  /** The tokens of the batches to which this has not happened. */
  without(what: "isSent" | "isSettled"): readonly string[] {
    return [...this.#courses].filter(([, course]) => !course[what]).map(([token]) => token);
  }

  #check(isRight: boolean, fault: string): void {
    if (!isRight) this.faults.push(fault);
  }

  async #wait(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => this.clock.after(ms, resolve));
  }

  #fail(what: "mark" | "send" | "read"): void {
    if (this.#random.chance(this.#chances[what])) throw new Error(what);
  }

  async #mark(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const courses = tokens.map((token) => this.#courses.get(token)!);
    const isPaced = courses[0]!.run.plan.rateLimit > 0;
    this.#check(new Set(courses.map(({ run }) => run)).size === 1, `${tokens} of several runs are marked`);
    this.#check(!isPaced || (tokens.length === 1 && this.slots > 0), `${tokens} are marked without a slot`);
    this.#check(isPaced || this.#groups === 0, `${tokens} are marked before the last group is`);
    if (!isPaced) this.#groups++;
    await this.#wait(this.#ms.mark);
    if (!isPaced) this.#groups--;
    this.#fail("mark");
    const lost = new Set(tokens.filter(() => this.#random.chance(this.#chances.lost)));
    for (const [i, token] of tokens.entries()) courses[i]!.isMarked = !lost.has(token);
    const ahead = [...this.#courses.values()].filter((one) => one.isMarked && !one.isSent && !one.isSettled);
    this.#check(ahead.length <= this.#maxInFlight, "more attempts are marked ahead than may be in flight");
    return lost;
  }

  #plans(): Pick<RunPlans, "current" | "isUnderWay"> {
    const isFresh = ({ readMs }: Run): boolean => this.clock.monotonicMs() - readMs < freshMs;
    return {
      current: (runId) => {
        const run = this.runs.get(runId)!;
        return isFresh(run) && !run.wasEnded ? run.plan : undefined;
      },
      isUnderWay: async (runId) => {
        const run = this.runs.get(runId)!;
        if (!isFresh(run)) {
          await this.#wait(this.#ms.read);
          this.#fail("read");
          Object.assign(run, { readMs: this.clock.monotonicMs(), wasEnded: run.hasEnded });
        }
        return !run.wasEnded;
      },
    };
  }

  async #takeSlot(signal: AbortSignal): Promise<RateSlot> {
    await this.clock.wait(this.#random.int(1, 50), AbortSignal.any([signal, this.stopping.signal]));
    signal.throwIfAborted();
    this.stopping.signal.throwIfAborted();
    this.slots++;
    return {
      begin: () => {
        const isBegun = this.#random.chance(0.9);
        if (isBegun) this.begun++;
        return isBegun;
      },
      done: () => this.#check(this.slots-- > 0, "a slot is given back twice"),
    };
  }

  async #send({ batch: { token }, ending }: HeldBatch, plan: RunPlan): Promise<Outcome | undefined> {
    const course = this.#courses.get(token)!;
    this.#check(++this.inFlight <= this.#maxInFlight, "more are in flight than may be");
    this.#check(course.isMarked, `${token} is sent without a mark`);
    this.#check(!course.isSent, `${token} is sent twice`);
    this.#check(!ending.signal.aborted, `${token} is sent after its lease was lost`);
    this.#check(!this.stopping.signal.aborted, `${token} is sent after the stop`);
    this.#check(plan === course.run.plan, `${token} is sent with the plan of another run`);
    if (plan.rateLimit > 0) this.#check(this.begun-- > 0, `${token} is sent without a slot`);
    course.isSent = true;
    course.outcome = { kind: "released" };
    await this.#wait(this.#random.int(0, this.#ms.send));
    this.inFlight--;
    this.#fail("send");
    course.outcome = ending.signal.aborted ? undefined : succeeded;
    return course.outcome;
  }

  #settle({ batch: { token }, ending }: HeldBatch, outcome: Outcome | undefined): void {
    const course = this.#courses.get(token)!;
    this.#check(!course.isSettled, `${token} is settled twice`);
    const unsent = ending.signal.aborted ? undefined : "released";
    const expected = course.isSent ? course.outcome?.kind : unsent;
    this.#check(outcome?.kind === expected, `${token} is settled as ${outcome?.kind}, not as ${expected}`);
    course.isSettled = true;
  }
}

/** Adds batches while runs end, leases are lost and, at last, sending may stop. Returns the faults of the attempts. */
export async function runHistory(random: Random): Promise<readonly string[]> {
  const isCalm = random.chance(0.2);
  const history = new History(random, isCalm);
  const { clock, attempts, runs, held, stopping, faults } = history;
  const happens = (): boolean => !isCalm && random.chance(0.3);
  const count = random.int(1, 80);
  for (let group = random.int(1, 5); group > 0; group--) {
    history.add(count);
    await clock.advance(random.int(0, 200));
    if (happens()) random.pick([...runs.values()]).hasEnded = true;
    if (happens()) await dropEnded(history, 100);
    if (happens()) for (const { ending } of random.some(held, held.length / 4)) ending.abort();
  }
  if (happens()) {
    stopping.abort(new Error("stop"));
    attempts.release();
  }
  for (let i = 0; i < 1_500 && history.without("isSettled").length > 0; i++) {
    if (i % 20 === 19) await dropEnded(history, 200);
    await clock.advance(200);
  }
  await clock.advance(1_000);
  const unsettled = history.without("isSettled");
  if (unsettled.length > 0) faults.push(`${unsettled} are not settled`);
  if (isCalm && history.without("isSent").length > 0)
    faults.push(`${history.without("isSent")} are not sent`);
  if (history.slots !== 0) faults.push(`${history.slots} slots are not given back`);
  if (history.inFlight !== 0) faults.push(`${history.inFlight} requests have not ended`);
  return faults;
}

async function dropEnded({ attempts, clock }: History, ms: number): Promise<void> {
  attempts.dropEnded().catch(() => {});
  await clock.advance(ms);
}
