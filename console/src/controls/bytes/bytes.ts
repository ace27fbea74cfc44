const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text of bytes; undefined if they are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the text of the first bytes, which may end within a character; undefined if they are not UTF-8.
 * @param isCut whether the bytes go on
 */
export function beginningOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  // A character has at most four bytes.
  const lengths = isCut ? [0, 1, 2, 3] : [0];
  for (const missing of lengths) {
    const text = textOf(bytes.subarray(0, bytes.length - missing));
    if (text !== undefined) return text;
  }
  return undefined;
}

const bytesPerLine = 16;

/** Writes bytes as lines of their place, their hexadecimal digits and their ASCII characters. */
export function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += bytesPerLine) {
    const part = bytes.subarray(at, at + bytesPerLine);
    const digits = Array.from(part, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const characters = Array.from(part, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".",
    );
    const place = at.toString(16).padStart(8, "0");
    lines.push(`${place}  ${digits.padEnd(bytesPerLine * 3 - 1)}  ${characters.join("")}`);
  }
  return lines.join("\n");
}
