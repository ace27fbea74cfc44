import { slotOf } from "./hash-slot.ts";

/** The low half of the hash, the high half, and the time of receipt. */
const slotNumbers = 3;
const minSlots = 4_096;
const maxTime = 2 ** 32 - 1;

export interface ExpiringUuidSetOptions {
  /** How long a uuid is remembered; at most 45 days. */
  readonly windowMs: number;
  /** The approximate maximum, at 16 to 32 bytes each. Beyond it the older half is forgotten. */
  readonly maxUuids: number;
}

/**
 * The uuids received within a window, as hashes of 64 bits in one table with linear probing: 12 bytes
 * per slot, without an object for each.
 */
export class ExpiringUuidSet {
  readonly #options: ExpiringUuidSetOptions;
  readonly #hash: HashHalves = { low: 0, high: 0 };
  #slots = new Uint32Array(minSlots * slotNumbers);
  #count = 0;
  /** Times are stored as milliseconds since this time; 0 marks an empty slot. */
  #baseMs = 0;
  #latestMs = 0;
  #forgotten = 0;

  constructor(options: ExpiringUuidSetOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#count;
  }

  /** The number of uuids forgotten before the end of their window. */
  get forgotten(): number {
    return this.#forgotten;
  }

  clear(): void {
    this.#slots = new Uint32Array(minSlots * slotNumbers);
    this.#count = 0;
    this.#baseMs = 0;
    this.#latestMs = 0;
  }

  /** The hash of the last claim. */
  get lastHash(): Readonly<HashHalves> {
    return this.#hash;
  }

  claim(projectId: number, uuid: string, receivedMs: number): boolean {
    hashText(projectId, uuid, this.#hash);
    return this.claimHash(this.#hash.low, this.#hash.high, receivedMs);
  }

  claimHash(low: number, high: number, receivedMs: number): boolean {
    if (this.#baseMs === 0) this.#baseMs = receivedMs - this.#options.windowMs;
    if (receivedMs > this.#latestMs) this.#latestMs = receivedMs;
    if (receivedMs - this.#baseMs > maxTime || this.#count * 4 >= this.#capacity * 3) this.#rebuild();
    const time = Math.max(1, receivedMs - this.#baseMs);
    const at = find(this.#slots, low, high);
    const before = this.#slots[at + 2]!;
    if (before !== 0 && Math.abs(time - before) < this.#options.windowMs) return false;
    if (before === 0) this.#count++;
    put(this.#slots, at, low, high, time);
    return true;
  }

  get #capacity(): number {
    return this.#slots.length / slotNumbers;
  }

  /** Rebuilds the table without what is older than the window, with space for as many entries again. */
  #rebuild(): void {
    const old = this.#slots;
    const shift = Math.max(0, this.#latestMs - this.#options.windowMs - this.#baseMs);
    let from = shift + 1;
    const remaining = countFrom(old, from);
    if (remaining >= this.#options.maxUuids) {
      from = Math.max(from, middleTime(old, from));
      this.#forgotten += remaining - countFrom(old, from);
    }
    const count = countFrom(old, from);
    let capacity = minSlots;
    while (capacity < count * 2) capacity *= 2;
    this.#slots = new Uint32Array(capacity * slotNumbers);
    this.#baseMs += shift;
    this.#count = count;
    for (let at = 0; at < old.length; at += slotNumbers) {
      const time = old[at + 2]!;
      if (time < from) continue;
      put(this.#slots, find(this.#slots, old[at]!, old[at + 1]!), old[at]!, old[at + 1]!, time - shift);
    }
  }
}

/** Returns the position of a hash, or of the empty slot for it. */
function find(slots: Uint32Array, low: number, high: number): number {
  const count = slots.length / slotNumbers;
  for (let slot = slotOf(count, low, high); ; slot = (slot + 1) & (count - 1)) {
    const at = slot * slotNumbers;
    if (slots[at + 2] === 0 || (slots[at] === low && slots[at + 1] === high)) return at;
  }
}

function put(slots: Uint32Array, at: number, low: number, high: number, time: number): void {
  slots[at] = low;
  slots[at + 1] = high;
  slots[at + 2] = time;
}

function countFrom(slots: Uint32Array, from: number): number {
  let count = 0;
  for (let at = 2; at < slots.length; at += slotNumbers) if (slots[at]! >= from) count++;
  return count;
}

/** Returns an approximate median of the times at or after `from`, from a sample of up to 4,096. */
function middleTime(slots: Uint32Array, from: number): number {
  const step = Math.max(1, Math.floor(slots.length / slotNumbers / 8_192)) * slotNumbers;
  const sample: number[] = [];
  for (let at = 2; at < slots.length; at += step) if (slots[at]! >= from) sample.push(slots[at]!);
  sample.sort((a, b) => a - b);
  return (sample[sample.length >> 1] ?? from) + 1;
}

/** A hash of 64 bits in two halves. */
export interface HashHalves {
  low: number;
  high: number;
}

/**
 * Hashes a text of a project to 64 bits, each half with its own multipliers. Among ten million
 * different texts a collision has a probability of 1 in 370,000.
 * @param into is overwritten, so that nothing is allocated
 */
export function hashText(seed: number, text: string, into: HashHalves): void {
  let low = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
  let high = Math.imul(seed ^ 0x7f4a7c15, 0xc2b2ae35) | 0;
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x2c1b3c6d);
    low = (low << 13) | (low >>> 19);
    high = Math.imul(high ^ code, 0x297a2d39);
    high = (high << 17) | (high >>> 15);
  }
  into.low = finish(low ^ Math.imul(high, 0x45d9f3b5) ^ length) >>> 0;
  into.high = finish(high ^ Math.imul(low, 0x119de1f3)) >>> 0;
}

/** Lets each bit of the input change half of the output bits. */
function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
