/** Returns UTF-8 bytes without a leading byte order mark. */
export function withoutByteOrderMark<T extends Uint8Array>(bytes: T): T {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? (bytes.subarray(3) as T) : bytes;
}

/** Returns a text without a leading byte order mark. */
export function withoutTextMark(text: string): string {
  return text.replace(/^\ufeff/, "");
}
