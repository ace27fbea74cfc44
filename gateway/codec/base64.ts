/**
 * Decodes padded standard base64; returns undefined for any other text. Node skips invalid characters, which gives
 * fewer bytes, and reads the low byte of characters beyond Latin-1, which may be a digit.
 */
export function decodeBase64(text: string): Buffer | undefined {
  if (Buffer.byteLength(text) !== text.length) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(text, "base64");
  return text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}

export function encodeBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
