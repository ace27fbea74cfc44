/** Collects text as UTF-8. */
export interface Output {
  add(text: string): void;
  /** All of it; ends the use of this output. */
  finish(): Uint8Array<ArrayBuffer>;
}

/**
 * Whoever adds many texts joins them to chunks of about this size first: below V8's large-object size (128 KiB) that
 * is 3 times faster than joining all at once.
 */
export const CHUNK_CHARACTERS = 49_152;

/** `expectedBytes` is a hint: what is really needed is allocated. */
export function createOutput(expectedBytes: number): Output {
  let bytes: Buffer<ArrayBuffer> | undefined;
  let length = 0;
  let last = "";

  function encodeLast(): void {
    const needed = length + Buffer.byteLength(last);
    if (bytes === undefined || bytes.length < needed) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, (bytes?.length ?? 0) * 2, expectedBytes));
      bytes?.copy(larger, 0, 0, length);
      bytes = larger;
    }
    length += bytes.write(last, length, "utf8");
  }
  return {
    add(text) {
      if (last !== "") encodeLast();
      last = text;
    },
    finish() {
      if (bytes === undefined) return Buffer.from(last);
      encodeLast();
      return bytes.subarray(0, length);
    },
  };
}
