/** Bytes of UTF-8 without the byte order mark that they may begin with. */
export function withoutByteOrderMark<T extends Uint8Array>(bytes: T): T {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? (bytes.subarray(3) as T) : bytes;
}

/** Text without the byte order mark that it may begin with. */
export function withoutTextMark(text: string): string {
  return text.replace(/^\ufeff/, "");
}
