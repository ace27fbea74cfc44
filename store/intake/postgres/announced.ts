/** How many keys after the last one are compared: a batch skips those of records which are refused. */
const nearKeys = 16;

/** The keys which a batch was begun with. It uses most of them in their order, so that few are searched for. */
export class AnnouncedKeys {
  readonly #keys: readonly string[];
  /** The position of the key that was found last. */
  #at = 0;
  /** The first position of each key. */
  #positions: Map<string, number> | undefined;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  /** Returns a position of the key; -1 when it is not among them. */
  find(key: string): number {
    const end = Math.min(this.#keys.length, this.#at + nearKeys);
    for (let at = this.#at; at < end; at++) {
      if (this.#keys[at] !== key) continue;
      this.#at = at;
      return at;
    }
    const found = this.#search(key);
    if (found > this.#at) this.#at = found;
    return found;
  }

  #search(key: string): number {
    if (this.#positions === undefined) {
      this.#positions = new Map();
      for (let at = this.#keys.length - 1; at >= 0; at--) this.#positions.set(this.#keys[at]!, at);
    }
    return this.#positions.get(key) ?? -1;
  }
}

/** The key itself may be personal data. */
export function throwUnannounced(noun: string): never {
  throw new TypeError(`the ${noun} is not among the keys which the batch was begun with`);
}
