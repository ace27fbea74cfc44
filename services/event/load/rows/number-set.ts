/** A set of small whole numbers. Adding to a `Set` takes ten times as long, and there are millions per second. */
export class NumberSet {
  #has = new Uint8Array(64);

  add(number: number): void {
    if (number >= this.#has.length) {
      const longer = new Uint8Array(number * 2);
      longer.set(this.#has);
      this.#has = longer;
    }
    this.#has[number] = 1;
  }

  /** Returns the numbers in ascending order. */
  numbers(): readonly number[] {
    return Array.from(this.#has.keys()).filter((number) => this.#has[number] === 1);
  }
}
