import { type HashHalves, hashText } from "./text-hash.ts";

/** Low half of the hash, high half, time of receipt. */
const slotNumbers = 3;
const minSlots = 4_096;
const maxTime = 2 ** 32 - 1;

export interface UuidWindowOptions {
  /** Up to 45 days. */
  readonly windowMs: number;
  /** About; 16 to 32 bytes each. When there are more, the older half is forgotten. */
  readonly maxUuids: number;
}

/**
 * The uuids received within a window, as 64 bits each in one table with linear
 * probing: 12 bytes a slot, without an object for any of them.
 */
export class UuidWindow {
  readonly #options: UuidWindowOptions;
  readonly #hash: HashHalves = { low: 0, high: 0 };
  #slots = new Uint32Array(minSlots * slotNumbers);
  #count = 0;
  /** Times are kept as milliseconds from here; 0 marks an empty slot. */
  #baseMs = 0;
  #latestMs = 0;
  #forgotten = 0;

  constructor(options: UuidWindowOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#count;
  }

  /** How many were forgotten before their window had passed. */
  get forgotten(): number {
    return this.#forgotten;
  }

  clear(): void {
    this.#slots = new Uint32Array(minSlots * slotNumbers);
    this.#count = 0;
    this.#baseMs = 0;
    this.#latestMs = 0;
  }

  /** The hash that the last claim was about. */
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

  /** Leaves out what is older than the window, and has room for as many again. */
  #rebuild(): void {
    const old = this.#slots;
    const shift = Math.max(0, this.#latestMs - this.#options.windowMs - this.#baseMs);
    let from = shift + 1;
    const kept = countFrom(old, from);
    if (kept >= this.#options.maxUuids) {
      from = Math.max(from, middleTime(old, from));
      this.#forgotten += kept - countFrom(old, from);
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

/** Where it stands, or the empty slot where it would. */
function find(slots: Uint32Array, low: number, high: number): number {
  const mask = slots.length / slotNumbers - 1;
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
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

/** About half of those from `from` on are later than this: told by up to 4,096 of them. */
function middleTime(slots: Uint32Array, from: number): number {
  const step = Math.max(1, Math.floor(slots.length / slotNumbers / 8_192)) * slotNumbers;
  const sample: number[] = [];
  for (let at = 2; at < slots.length; at += step) if (slots[at]! >= from) sample.push(slots[at]!);
  sample.sort((a, b) => a - b);
  return (sample[sample.length >> 1] ?? from) + 1;
}
