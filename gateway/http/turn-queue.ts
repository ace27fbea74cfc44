/**
 * Begins at most `perTurn` pieces of work in one turn of the event loop. What
 * comes beyond that waits for the turns that follow, in which each key that has
 * work waiting is served after another.
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
    // A key that is put back comes last, and is met again.
    for (const [key, works] of this.#waiting) {
      if (this.#begun >= this.#perTurn) return;
      this.#waiting.delete(key);
      const work = works.shift();
      if (works.length > 0) this.#waiting.set(key, works);
      this.#begin(work as () => void);
    }
  }
}
