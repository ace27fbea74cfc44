/**
 * Starts at most `perTurn` pieces of work in one iteration of the event loop. Further work waits for the next
 * iterations, in which the keys with waiting work are served in rotation.
 */
export class TurnQueue<Key extends object> {
  readonly #perTurn: number;
  readonly #waiting = new Map<Key, (() => void)[]>();
  #begun = 0;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  run(key: Key, work: () => void): void {
    if (this.#waiting.size === 0 && this.#begun < this.#perTurn) {
      this.#begin(work);
      return;
    }
    const others = this.#waiting.get(key);
    if (others === undefined) this.#waiting.set(key, [work]);
    else others.push(work);
  }

  #begin(work: () => void): void {
    if (this.#begun++ === 0) setImmediate(() => this.#nextTurn());
    work();
  }

  #nextTurn(): void {
    this.#begun = 0;
    // A key that is set again moves to the end of the map, and is visited again.
    for (const [key, works] of this.#waiting) {
      if (this.#begun >= this.#perTurn) return;
      this.#waiting.delete(key);
      const work = works.shift();
      if (works.length > 0) this.#waiting.set(key, works);
      this.#begin(work as () => void);
    }
  }
}
