/** Returns the first UTF-16 units of a text, without half of a surrogate pair at their end. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}

/** Returns the first bytes of UTF-8, without a part of a character at their end. */
export function cutUtf8(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return bytes.length <= maxBytes ? bytes : bytes.subarray(0, startOfCharacter(bytes, maxBytes));
}

/** Returns the place of the first byte of the character at a place: in valid UTF-8 it is at most 3 bytes back. */
export function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = at;
  for (let back = 0; back < 3 && (bytes[start]! & 0xc0) === 0x80; back++) start--;
  return start;
}
