/**
 * Limits how many holders there are at a time. The others wait in the order in
 * which they came, without limit and until it is their turn: where waiting must be
 * bounded, cancelled or fair, use `createFairSlots`.
 */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(maxHolders: number) {
    this.#free = maxHolders;
  }

  /** Resolves with a slot, to be disposed of once. */
  async acquire(): Promise<Disposable> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { [Symbol.dispose]: () => this.#release() };
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
