/** Memory grows by this factor, so that little is copied twice and a size that is only announced takes none. */
const growth = 8;
const minBytes = 64 * 1024;

/**
 * Puts a message together while its chunks come in. To join them at its end
 * would hold up every other call: 20 ms for 30 MB, and as long again for
 * collecting the chunks.
 */
export class Gathering {
  #bytes: Buffer | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The first chunk stays as it is; what came so far is in the first `length` bytes. */
  get bytes(): Buffer | undefined {
    return this.#bytes;
  }

  /** `expectedBytes` is what the whole message says it has. */
  add(chunk: Buffer, expectedBytes: number): void {
    const length = this.#length + chunk.length;
    if (this.#bytes === undefined) this.#bytes = chunk;
    else {
      if (length > this.#bytes.length) this.#grow(length, expectedBytes);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length = length;
  }

  /** All of it; undefined when there was none. */
  take(): Buffer | undefined {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    return bytes?.length === this.#length ? bytes : bytes?.subarray(0, this.#length);
  }

  #grow(neededBytes: number, expectedBytes: number): void {
    const aimed = Math.max(neededBytes * growth, minBytes);
    // More than was announced is an error that is found at the end, so by then it only has to stay linear.
    const size = neededBytes > expectedBytes ? neededBytes * 2 : Math.min(expectedBytes, aimed);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#bytes?.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
