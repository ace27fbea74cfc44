import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/** A secret of a channel. */
export interface Secret {
  readonly key: KeyObject;
  /** Time from which it is not valid any more, in ms since 1970. Undefined: no end. */
  readonly expiresMs: number | undefined;
}

export type SignatureVerdict =
  /** `value`: the signature that matches, without the spaces around it. */
  | { readonly kind: "match"; readonly value: string }
  | { readonly kind: "missing" }
  /** `given`: values of the headers, for the explanation. */
  | { readonly kind: "mismatch"; readonly given: readonly string[] };

/** Signature headers that are checked at most. */
const maxGiven = 8;

/**
 * Checks whether one of the given values is the hexadecimal HMAC-SHA1 of the body under a valid secret. Accepts upper
 * case and spaces around the value. Compares the 20 bytes in constant time.
 */
export function verifySignature(
  body: Uint8Array,
  given: readonly string[],
  secrets: readonly Secret[],
  nowMs: number,
): SignatureVerdict {
  if (given.length === 0) return { kind: "missing" };
  const candidates = given.slice(0, maxGiven).map(decodeHex);
  let matching: string | undefined;
  for (const { key, expiresMs } of secrets) {
    if (expiresMs !== undefined && expiresMs <= nowMs) continue;
    const expected = createHmac("sha1", key).update(body).digest();
    for (const [at, candidate] of candidates.entries()) {
      // All are compared, so that the time does not reveal which secret matches.
      if (candidate !== undefined && timingSafeEqual(candidate, expected)) matching = given[at];
    }
  }
  return matching === undefined ? { kind: "mismatch", given } : { kind: "match", value: matching.trim() };
}

function decodeHex(value: string): Uint8Array | undefined {
  const text = value.trim();
  return /^[0-9A-Fa-f]{40}$/.test(text) ? Buffer.from(text, "hex") : undefined;
}
