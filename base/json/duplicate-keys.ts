import { asBuffer, decodeString } from "./utf8.ts";

/** A key that occurs again in its object. */
export interface DuplicateKey {
  readonly key: string;
  /** The first byte of the key's text. */
  readonly byte: number;
}

/** Keys of larger objects are looked up in a set; up to here comparing fingerprints is faster. */
const maxCompared = 12;
const maxReported = 10;
/** Further keys of one object are not checked, so that memory and time stay small. */
const maxKeys = 10_000;

/**
 * Finds keys that an object has twice, also in objects within objects. Keys are
 * compared byte by byte, after their escapes are decoded.
 */
export class DuplicateKeys {
  count = 0;
  /** The first ten of them. */
  readonly found: DuplicateKey[] = [];
  readonly #bytes: Buffer;
  // Keys of all open objects, the outermost first; only the first `#top` entries count.
  readonly #prints: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #top = 0;
  // The index of the first key and the set, if it has one, of each open object.
  readonly #bases: number[] = [];
  readonly #sets: (Set<string> | undefined)[] = [];
  #open = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = asBuffer(bytes);
  }

  enter(): void {
    this.#bases[this.#open] = this.#top;
    this.#sets[this.#open++] = undefined;
  }

  leave(): void {
    this.#top = this.#bases[--this.#open]!;
  }

  add(start: number, end: number, escaped: boolean): void {
    const base = this.#bases[this.#open - 1]!;
    const set = this.#sets[this.#open - 1];
    if (set !== undefined || escaped || this.#top - base >= maxCompared) {
      this.#addToSet(set ?? this.#makeSet(base), start, end, escaped);
      return;
    }
    const bytes = this.#bytes;
    const length = end - start;
    const print =
      length === 0
        ? 0
        : (length << 24) | (bytes[start + (length >> 1)]! << 16) | (bytes[start]! << 8) | bytes[end - 1]!;
    for (let at = base; at < this.#top; at++) {
      if (this.#prints[at] === print && this.#isSame(at, start, end)) {
        this.#report(start, end, false);
        return;
      }
    }
    this.#prints[this.#top] = print;
    this.#starts[this.#top] = start;
    this.#ends[this.#top++] = end;
  }

  #isSame(at: number, start: number, end: number): boolean {
    const bytes = this.#bytes;
    const other = this.#starts[at]!;
    if (this.#ends[at]! - other !== end - start) return false;
    for (let offset = end - start - 1; offset >= 0; offset--) {
      if (bytes[other + offset] !== bytes[start + offset]) return false;
    }
    return true;
  }

  #makeSet(base: number): Set<string> {
    const set = new Set<string>();
    for (let at = base; at < this.#top; at++) {
      set.add(decodeString(this.#bytes, this.#starts[at]!, this.#ends[at]!, false));
    }
    this.#sets[this.#open - 1] = set;
    return set;
  }

  #addToSet(set: Set<string>, start: number, end: number, escaped: boolean): void {
    if (set.size >= maxKeys) return;
    const key = decodeString(this.#bytes, start, end, escaped);
    if (set.has(key)) this.#report(start, end, escaped);
    set.add(key);
  }

  #report(start: number, end: number, escaped: boolean): void {
    this.count++;
    if (this.found.length < maxReported) {
      this.found.push({ key: decodeString(this.#bytes, start, end, escaped), byte: start });
    }
  }
}
