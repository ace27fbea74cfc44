import { createHmac, type KeyObject } from "node:crypto";

/** The header of the signature in the platform's documentation. A channel may name another one. */
export const defaultSignatureHeader = "X-SVC-OPS-Signature";

/**
 * Returns the lower-case hexadecimal HMAC-SHA1 of a body's exact bytes.
 * @param secret a key, or a text that is encoded in UTF-8
 */
export function signBody(secret: string | KeyObject, body: Uint8Array): string {
  return createHmac("sha1", secret).update(body).digest("hex");
}
