import type { ServerHttp2Session } from "node:http2";
import { types } from "node:util";

const firstSlots = 16;
const maxSlots = 256;

/**
 * The open streams of a session by their ids, in an array. A stream whose slot is taken is in the map itself.
 *
 * A table of V8's `Map` that is replaced refers to the next one. Once one of a session is in the old generation, each
 * later one, with the streams that were open at the time, stays until the next collection of the whole heap.
 */
export class StreamTable<Stream extends object> extends Map<number, Stream> {
  #ids: number[] = new Array(firstSlots).fill(0);
  #streams: (Stream | undefined)[] = new Array(firstSlots).fill(undefined);
  #taken = 0;

  override get size(): number {
    return this.#taken + super.size;
  }

  override get(id: number): Stream | undefined {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === id ? this.#streams[slot] : super.get(id);
  }

  override has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  override set(id: number, stream: Stream): this {
    const isHeld = this.has(id);
    if (!isHeld && this.#taken * 2 >= this.#ids.length && this.#ids.length < maxSlots) this.#grow();
    const slot = this.#slotOf(id);
    const owner = this.#ids[slot];
    if (owner === id || (owner === 0 && !isHeld)) this.#put(slot, id, stream);
    else super.set(id, stream);
    return this;
  }

  override delete(id: number): boolean {
    const slot = this.#slotOf(id);
    if (this.#ids[slot] !== id) return super.delete(id);
    this.#ids[slot] = 0;
    this.#streams[slot] = undefined;
    this.#taken--;
    return true;
  }

  override clear(): void {
    this.#ids.fill(0);
    this.#streams.fill(undefined);
    this.#taken = 0;
    super.clear();
  }

  override *entries(): MapIterator<[number, Stream]> {
    for (const [slot, id] of this.#ids.entries()) if (id !== 0) yield [id, this.#streams[slot] as Stream];
    yield* super.entries();
  }

  override *keys(): MapIterator<number> {
    for (const [id] of this.entries()) yield id;
  }

  override *values(): MapIterator<Stream> {
    for (const [, stream] of this.entries()) yield stream;
  }

  override [Symbol.iterator](): MapIterator<[number, Stream]> {
    return this.entries();
  }

  override forEach(visit: (stream: Stream, id: number, table: Map<number, Stream>) => void): void {
    for (const [id, stream] of this.entries()) visit(stream, id, this);
  }

  /** Clients number their streams by odd numbers, in order. */
  #slotOf(id: number): number {
    return (id >>> 1) & (this.#ids.length - 1);
  }

  #put(slot: number, id: number, stream: Stream): void {
    if (this.#ids[slot] === 0) this.#taken++;
    this.#ids[slot] = id;
    this.#streams[slot] = stream;
  }

  #grow(): void {
    const ids = this.#ids;
    const streams = this.#streams;
    this.#ids = new Array(ids.length * 2).fill(0);
    this.#streams = new Array(ids.length * 2).fill(undefined);
    this.#taken = 0;
    // Ids of different slots still have different ones.
    for (const [slot, id] of ids.entries()) {
      if (id !== 0) this.#put(this.#slotOf(id), id, streams[slot] as Stream);
    }
  }
}

/**
 * Lets a new session keep its streams in a `StreamTable`; returns false, and changes nothing, in a version of Node that
 * keeps them in another way. There is no public way to do so.
 */
export function useStreamTable(session: ServerHttp2Session): boolean {
  const state = Object.getOwnPropertySymbols(session).find(({ description }) => description === "state");
  const held = state && (session as unknown as Record<symbol, { streams?: unknown }>)[state];
  // Node's map has a prototype of its own.
  if (!types.isMap(held?.streams) || held.streams.size > 0) return false;
  held.streams = new StreamTable();
  return true;
}
