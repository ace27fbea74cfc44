/** The least size: the bodies of a page of short messages. */
const firstBytes = 2_097_152;

/**
 * Memory for the bodies of a page, which later pages use again. A new buffer for each body would make the garbage
 * collector run for its size, which takes as much time as the rest of the preparation.
 */
export class BodyBuffer {
  #buffer = Buffer.alloc(0);
  #used = 0;

  /** Returns the text in UTF-8; valid until `reuse`. */
  write(text: string): Uint8Array {
    const length = Buffer.byteLength(text);
    if (this.#used + length > this.#buffer.length) {
      // Bodies in the present buffer keep it until they are stored.
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#buffer.length, length));
      this.#used = 0;
    }
    const body = this.#buffer.subarray(this.#used, this.#used + length);
    body.write(text);
    this.#used += length;
    return body;
  }

  /** Makes the memory of all bodies free for others. */
  reuse(): void {
    this.#used = 0;
  }
}
