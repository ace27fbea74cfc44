import type { ArgumentsOf, NameIn, OutcomeOf } from "../../sql/operations.ts";
import type { InboxExecutor } from "../sql/options.ts";
import type { InboxOperations } from "../sql/sql.ts";

type Kept = {
  readonly [N in NameIn<InboxOperations>]?: (result: OutcomeOf<InboxOperations, N>) => number | null;
};

/**
 * The operations whose results are kept, each with a function that returns until when: a time of the store's clock.
 * Null: the operation has changed something.
 */
const kept: Kept = {
  counts: () => Number.POSITIVE_INFINITY,
  oldestPending: () => Number.POSITIVE_INFINITY,
  // The saved time only has to be near the last change.
  saveClock: () => Number.POSITIVE_INFINITY,
  lease: ({ items, damaged, nextDueAtMs }) =>
    items.length > 0 || damaged > 0 ? null : (nextDueAtMs ?? Number.POSITIVE_INFINITY),
  prune: ({ result: { batches, claims, deadLetters, more }, nextDueAtMs }) =>
    batches + claims + deadLetters > 0 || more ? null : (nextDueAtMs ?? Number.POSITIVE_INFINITY),
};

/** Operations that only read, and are rare. */
const reads: ReadonlySet<NameIn<InboxOperations>> = new Set([
  "findBatch",
  "findDelivery",
  "groupDeadLetters",
  "listBatches",
  "listDeadLetters",
  "listDeliveries",
  "readClock",
  "replyOf",
]);

interface Answer {
  readonly result: unknown;
  readonly untilMs: number;
}

export interface KeptExecutor extends InboxExecutor {
  /** How often another process may have changed the file. */
  readonly gaps: number;
}

/**
 * Answers what an idle server asks again and again, such as whether a delivery is due, without the thread of the file,
 * so that the thread can end. An answer is kept until another operation may have changed the file, or another process,
 * while this one did not have the file. Operations run in the order in which they are called, so that one that is
 * called later sees the change.
 */
export class KeptAnswers implements InboxExecutor {
  readonly #executor: KeptExecutor;
  readonly #answers = new Map<string, Answer>();
  #changes = 0;
  /** The executor's gaps when answers were last asked for. */
  #gaps = 0;
  /** How many of the operations whose results are kept have been passed on without a result yet. */
  #underWay = 0;

  constructor(executor: KeptExecutor) {
    this.#executor = executor;
  }

  admit(bodyBytes: number): void {
    this.#executor.admit(bodyBytes);
  }

  measure(signal: AbortSignal | undefined): ReturnType<InboxExecutor["measure"]> {
    return this.#executor.measure(signal);
  }

  call<N extends NameIn<InboxOperations>>(
    name: N,
    nowMs: number,
    args: ArgumentsOf<InboxOperations, N>,
    signal: AbortSignal | undefined,
  ): Promise<OutcomeOf<InboxOperations, N>> {
    const untilOf = kept[name] as ((result: OutcomeOf<InboxOperations, N>) => number | null) | undefined;
    if (untilOf !== undefined) return this.#ask(name, nowMs, args, signal, untilOf);
    if (!reads.has(name)) this.#change();
    return this.#executor.call(name, nowMs, args, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#change();
    await this.#executor[Symbol.asyncDispose]();
  }

  async #ask<N extends NameIn<InboxOperations>>(
    name: N,
    nowMs: number,
    args: ArgumentsOf<InboxOperations, N>,
    signal: AbortSignal | undefined,
    untilOf: (result: OutcomeOf<InboxOperations, N>) => number | null,
  ): Promise<OutcomeOf<InboxOperations, N>> {
    signal?.throwIfAborted();
    const { gaps } = this.#executor;
    if (gaps !== this.#gaps) this.#change();
    this.#gaps = gaps;
    const key = keyOf(name, args);
    const answer = this.#answers.get(key);
    // An operation that is under way may turn out to change something.
    if (answer !== undefined && nowMs < answer.untilMs && this.#underWay === 0) {
      return answer.result as OutcomeOf<InboxOperations, N>;
    }
    const changes = this.#changes;
    this.#underWay++;
    try {
      const result = await this.#executor.call(name, nowMs, args, signal);
      const untilMs = untilOf(result);
      if (untilMs === null) this.#change();
      else if (changes === this.#changes) this.#answers.set(key, { result, untilMs });
      return result;
    } catch (error) {
      // It may have changed something all the same.
      this.#change();
      throw error;
    } finally {
      this.#underWay--;
    }
  }

  #change(): void {
    this.#changes++;
    this.#answers.clear();
  }
}

/** Returns what calls with the same answer have in common. */
function keyOf(name: NameIn<InboxOperations>, args: readonly unknown[]): string {
  if (name === "saveClock") return name;
  // However much a call would take, it gets nothing.
  if (name === "lease") return `lease ${(args as ArgumentsOf<InboxOperations, "lease">)[0].target}`;
  return `${name} ${JSON.stringify(args)}`;
}
