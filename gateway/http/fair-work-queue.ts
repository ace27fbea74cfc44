/**
 * Starts at most `perTurn` pieces of work in one iteration of the event loop. Further work waits for the next
 * iterations, in which the keys with waiting work are served in rotation.
 */
export class FairWorkQueue<Key extends object> {
  readonly #perIteration: number;
  readonly #waiting = new Map<Key, (() => void)[]>();
  #started = 0;

  constructor(perIteration: number) {
    this.#perIteration = perIteration;
  }

  run(key: Key, work: () => void): void {
    if (this.#waiting.size === 0 && this.#started < this.#perIteration) {
      this.#start(work);
      return;
    }
    const others = this.#waiting.get(key);
    if (others === undefined) this.#waiting.set(key, [work]);
    else others.push(work);
  }

  #start(work: () => void): void {
    if (this.#started++ === 0) setImmediate(() => this.#nextIteration());
    work();
  }

  #nextIteration(): void {
    this.#started = 0;
    // A key that is set again moves to the end of the map, and is visited again.
    for (const [key, works] of this.#waiting) {
      if (this.#started >= this.#perIteration) return;
      this.#waiting.delete(key);
      const work = works.shift();
      if (works.length > 0) this.#waiting.set(key, works);
      this.#start(work as () => void);
    }
  }
}
