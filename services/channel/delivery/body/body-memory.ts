/** The least size: most bodies of 100 messages. */
const leastBytes = 65_536;
/** Larger memory is left to the garbage collector. */
const mostBytes = 1_048_576;
const maxFreeBytes = 16_777_216;

/**
 * Memory for bodies while they are sent, which later bodies use again. New memory for each body would make the garbage
 * collector run for its size, which takes as much time as to write and to sign it.
 */
export class BodyMemory {
  readonly #free: Uint8Array[] = [];
  #freeBytes = 0;

  /** Returns memory of at least this many bytes, with any contents. */
  take(bytes: number): Uint8Array {
    const free = this.#free.pop();
    this.#freeBytes -= free?.length ?? 0;
    if (free !== undefined && free.length >= bytes) return free;
    // `Uint8Array` would fill it with zeros, and smaller buffers share a pool.
    return Buffer.allocUnsafeSlow(Math.max(leastBytes, 2 ** Math.ceil(Math.log2(bytes))));
  }

  /** Returns larger memory that begins with the first bytes of what `take` returned, which nothing may use any more. */
  extend(memory: Uint8Array, used: number, bytes: number): Uint8Array {
    const larger = this.take(bytes);
    larger.set(memory.subarray(0, used));
    this.free(memory);
    return larger;
  }

  /** Takes back what `take` returned, or a part of it; nothing may use it any more. */
  free({ buffer }: Uint8Array): void {
    if (buffer.byteLength > mostBytes || this.#freeBytes + buffer.byteLength > maxFreeBytes) return;
    this.#free.push(new Uint8Array(buffer));
    this.#freeBytes += buffer.byteLength;
  }
}
