import { performance } from "node:perf_hooks";

/**
 * Starts a few pieces of work in one iteration of the event loop, at most twice `perIteration`. Further work waits for
 * the next iterations, in which the keys with waiting work are served in rotation.
 */
export class FairWorkQueue<Key extends object> {
  readonly #perIteration: number;
  readonly #waiting = new Map<Key, (() => void)[]>();
  #started: number;
  /** The iteration in which the count began. */
  #iteration = -1;
  #isScheduled = false;

  constructor(perIteration: number) {
    this.#perIteration = perIteration;
    this.#started = perIteration;
  }

  /** Counts a piece of work that the caller starts at once; returns false if it has to wait its turn by `add`. */
  admits(): boolean {
    if (this.#waiting.size > 0) return false;
    if (this.#started === this.#perIteration) {
      const iteration = currentIteration();
      if (iteration === this.#iteration) return false;
      this.#iteration = iteration;
      this.#started = 0;
    }
    this.#started++;
    return true;
  }

  /** Adds a piece of work that starts in a later iteration. */
  add(key: Key, work: () => void): void {
    const others = this.#waiting.get(key);
    if (others === undefined) this.#waiting.set(key, [work]);
    else others.push(work);
    this.#schedule();
  }

  run(key: Key, work: () => void): void {
    if (this.admits()) work();
    else this.add(key, work);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#continue());
  }

  #continue(): void {
    this.#iteration = currentIteration();
    this.#started = 0;
    this.#isScheduled = false;
    // Before the work, which may throw.
    this.#schedule();
    // A key that is set again moves to the end of the map, and is visited again.
    for (const [key, works] of this.#waiting) {
      if (this.#started === this.#perIteration) return;
      this.#started++;
      this.#waiting.delete(key);
      const work = works.shift() as () => void;
      if (works.length > 0) this.#waiting.set(key, works);
      work();
    }
  }
}

/** Asked only after each `perIteration` pieces of work: a microtask or timer for each iteration would take longer. */
function currentIteration(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
