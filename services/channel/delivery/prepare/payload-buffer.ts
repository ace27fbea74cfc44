/** The least size: the payloads of a page of short messages. */
const firstBytes = 262_144;

/**
 * Memory for the payloads of a page, which later pages use again. A new buffer for each would make the garbage
 * collector run for its size.
 */
export class PayloadBuffer {
  #buffer = Buffer.alloc(0);
  #used = 0;

  /** Returns a copy of a payload; valid until `reuse`. */
  write(payload: Uint8Array): Uint8Array {
    const { length } = payload;
    if (this.#used + length > this.#buffer.length) {
      // Payloads in the present buffer keep it until they are stored.
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#buffer.length, length));
      this.#used = 0;
    }
    const copy = this.#buffer.subarray(this.#used, this.#used + length);
    copy.set(payload);
    this.#used += length;
    return copy;
  }

  /** Makes the memory of all payloads free for others. */
  reuse(): void {
    this.#used = 0;
  }
}
