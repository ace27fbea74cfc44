import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/** A secret of a channel, ready for use. */
export interface Secret {
  readonly key: KeyObject;
  /** From this time on, in ms since 1970, it signs nothing any more. Undefined: for ever. */
  readonly expiresMs: number | undefined;
}

export type SignatureVerdict =
  | { readonly kind: "match" }
  | { readonly kind: "missing" }
  /** `given`: what the headers said, for the explainer. */
  | { readonly kind: "mismatch"; readonly given: readonly string[] };

/** More headers of that meaning are no honest caller's. */
const maxGiven = 8;

/**
 * Whether one of the given values is the hexadecimal HMAC-SHA1 of the body's
 * exact bytes under one of the secrets that are in force. Upper case and blanks
 * around the value are accepted. The 20 bytes are compared in constant time.
 */
export function verifySignature(
  body: Uint8Array,
  given: readonly string[],
  secrets: readonly Secret[],
  nowMs: number,
): SignatureVerdict {
  if (given.length === 0) return { kind: "missing" };
  const candidates = given.slice(0, maxGiven).map(decodeHex);
  let isMatch = false;
  for (const { key, expiresMs } of secrets) {
    if (expiresMs !== undefined && expiresMs <= nowMs) continue;
    const expected = createHmac("sha1", key).update(body).digest();
    for (const candidate of candidates) {
      // All are compared, so that the time does not tell which secret it was.
      if (candidate !== undefined && timingSafeEqual(candidate, expected)) isMatch = true;
    }
  }
  return isMatch ? { kind: "match" } : { kind: "mismatch", given };
}

function decodeHex(value: string): Uint8Array | undefined {
  const text = value.trim();
  return /^[0-9A-Fa-f]{40}$/.test(text) ? Buffer.from(text, "hex") : undefined;
}
