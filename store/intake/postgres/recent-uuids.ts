import { slotOf } from "../hash-slot.ts";
import { repeatedBatches } from "../intake.ts";
import type { BatchUuids } from "./batch-uuids.ts";
import { claimBytes, type RemovedBatches, rowsByDay, type UuidBatch } from "./uuid-batches.ts";
import { hashBytes, hashWords, isSameHash } from "./uuid-hash.ts";

const chunkBits = 14;
const chunkUuids = 2 ** chunkBits;
const minSlots = 4_096;
/** The maximum share of used slots. */
const maxLoad = 0.75;
/** The maximum number of batches, so that a takeover reads few rows. */
const maxBatches = 50_000;

export interface RecentUuidLimits {
  readonly uuidWindowMs: number;
  readonly maxUuids: number;
}

export interface OutdatedBatches extends RemovedBatches {
  /** Claims before this time count no longer. */
  readonly expiredMs: number;
}

/** A batch in memory. Its claims begin where those of the batch before end. */
interface RecentBatch extends Pick<UuidBatch, "seq" | "firstMs" | "lastMs"> {
  /** The position after its last claim. */
  readonly end: number;
}

/** Claims at consecutive positions. */
interface Chunk {
  readonly hashes: Buffer<ArrayBuffer>;
  /** The same memory. */
  readonly words: Uint32Array;
  /** As in a batch. */
  readonly times: Buffer;
}

/**
 * The claims of the last batches of a spool, which are the newest of all: 24 bytes each, and 7 to 20 in a table of
 * their positions with linear probing. It is valid as long as no other loader writes.
 */
export class RecentUuids {
  /** The oldest first. */
  #batches: RecentBatch[] = [];
  /** By position; undefined when none of its claims is remembered. */
  readonly #chunks: (Chunk | undefined)[] = [];
  /** Positions of claims, of which some may be removed. */
  #slots = new Int32Array(minSlots);
  /** A byte of the hash of each slot, so that few others are compared; 0 is an empty slot. */
  #tags = new Uint8Array(minSlots);
  /** The positions of the oldest claim, and after the newest. */
  #start = 0;
  #end = 0;

  get size(): number {
    return this.#end - this.#start;
  }

  /** The place of the newest batch. */
  get lastSeq(): number | undefined {
    return this.#batches.at(-1)?.seq;
  }

  /** Adds the newest batch. */
  add({ seq, firstMs, lastMs, claims }: UuidBatch): void {
    const count = claims.length / claimBytes;
    this.reserve(count);
    const from = this.#end;
    this.#end += count;
    for (let at = 0; at < count; ) {
      const chunk = this.#chunkOf(from + at);
      const offset = (from + at) & (chunkUuids - 1);
      const length = Math.min(count - at, chunkUuids - offset);
      claims.copy(chunk.hashes, offset * hashBytes, at * hashBytes, (at + length) * hashBytes);
      const times = count * hashBytes;
      claims.copy(chunk.times, offset * 8, times + at * 8, times + (at + length) * 8);
      at += length;
    }
    for (let position = from; position < this.#end; position++) this.#index(position);
    this.#batches.push({ seq, firstMs, lastMs, end: this.#end });
  }

  /** Makes room for claims. */
  reserve(count: number): void {
    if (this.#end + count <= this.#slots.length * maxLoad) return;
    const removedChunks = this.#start >> chunkBits;
    const shift = removedChunks * chunkUuids;
    this.#chunks.splice(0, removedChunks);
    this.#batches = this.#batches.map((batch) => ({ ...batch, end: batch.end - shift }));
    this.#start -= shift;
    this.#end -= shift;
    let slots = minSlots;
    while (slots < (this.#end + count) * 2) slots *= 2;
    this.#slots = new Int32Array(slots);
    this.#tags = new Uint8Array(slots);
    for (let position = this.#start; position < this.#end; position++) this.#index(position);
  }

  /** Adds the last claims of uuids to what a batch knows of them. */
  teach(uuids: BatchUuids): void {
    if (this.size === 0) return;
    const { words } = uuids;
    for (let at = 0; at * hashWords < words.length; at++) {
      const slot = this.#slotOf(words, at * hashWords);
      if (this.#tags[slot] === 0) continue;
      const position = this.#slots[slot]!;
      const timeMs = this.#chunkOf(position).times.readDoubleLE((position & (chunkUuids - 1)) * 8);
      uuids.learn(at, timeMs, Number.POSITIVE_INFINITY);
    }
  }

  /**
   * Returns which batches are to be removed when another one is added: whose window has passed twice, or too many. The
   * last batches, which may be prepared again, stay, and the claims of the window before each of them.
   */
  outdatedBy(next: UuidBatch, { uuidWindowMs, maxUuids }: RecentUuidLimits): OutdatedBatches {
    const repeated = this.#batches.slice(1 - repeatedBatches);
    const firstMs = Math.min(next.firstMs, ...repeated.map((batch) => batch.firstMs));
    const expiredMs = firstMs - 2 * uuidWindowMs;
    const total = this.#end + next.claims.length / claimBytes;
    const { length } = this.#batches;
    let removed = 0;
    while (removed < length && this.#batches[removed]!.lastMs < expiredMs) removed++;
    const spilled: UuidBatch[] = [];
    const isMany = () => total - this.#endOf(removed) > maxUuids || length - removed >= maxBatches;
    while (removed < length - repeated.length && isMany()) spilled.push(this.#read(removed++));
    return {
      expiredMs,
      removedTo: this.#batches[removed - 1]?.seq,
      spilled: spilled.flatMap(rowsByDay),
    };
  }

  /** Adds a batch instead of those which it makes outdated. */
  replace(added: UuidBatch, { removedTo = -1 }: OutdatedBatches): void {
    let removed = 0;
    while (removed < this.#batches.length && this.#batches[removed]!.seq <= removedTo) removed++;
    this.#start = this.#endOf(removed);
    this.#batches.splice(0, removed);
    this.#chunks.fill(undefined, 0, this.#start >> chunkBits);
    this.add(added);
  }

  /** Returns the position after the first batches. */
  #endOf(batches: number): number {
    return batches === 0 ? this.#start : this.#batches[batches - 1]!.end;
  }

  #read(number: number): UuidBatch {
    const batch = this.#batches[number]!;
    const from = this.#endOf(number);
    const count = batch.end - from;
    const claims = Buffer.allocUnsafe(count * claimBytes);
    for (let at = 0; at < count; at++) {
      const { hashes, times } = this.#chunkOf(from + at);
      const offset = (from + at) & (chunkUuids - 1);
      hashes.copy(claims, at * hashBytes, offset * hashBytes, (offset + 1) * hashBytes);
      times.copy(claims, count * hashBytes + at * 8, offset * 8, (offset + 1) * 8);
    }
    return { ...batch, claims };
  }

  #chunkOf(position: number): Chunk {
    const number = position >> chunkBits;
    const chunk = this.#chunks[number] ?? createChunk();
    this.#chunks[number] = chunk;
    return chunk;
  }

  /** Lets the slot of a hash refer to a position, instead of an earlier one. */
  #index(position: number): void {
    const { words } = this.#chunkOf(position);
    const at = (position & (chunkUuids - 1)) * hashWords;
    const slot = this.#slotOf(words, at);
    this.#slots[slot] = position;
    this.#tags[slot] = tagOf(words, at);
  }

  /** Returns the slot of a hash, or the empty slot for it. */
  #slotOf(words: Uint32Array, at: number): number {
    const { length } = this.#slots;
    const tag = tagOf(words, at);
    const first = slotOf(length, words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
    for (let slot = first; ; slot = (slot + 1) & (length - 1)) {
      const found = this.#tags[slot]!;
      if (found === 0) return slot;
      if (found !== tag) continue;
      const position = this.#slots[slot]!;
      if (position < this.#start) continue;
      const other = this.#chunkOf(position).words;
      if (isSameHash(words, at, other, (position & (chunkUuids - 1)) * hashWords)) return slot;
    }
  }
}

/** Returns a byte of a hash other than 0. */
function tagOf(words: Uint32Array, at: number): number {
  return words[at]! & 0xff || 1;
}

function createChunk(): Chunk {
  const hashes = Buffer.alloc(chunkUuids * hashBytes);
  return { hashes, words: new Uint32Array(hashes.buffer), times: Buffer.alloc(chunkUuids * 8) };
}
