import { createHmac, type KeyObject } from "node:crypto";

/** The header of a signature in the platform's documentation; deployments may name another. */
export const defaultSignatureHeader = "X-SVC-OPS-Signature";

/**
 * Returns the lower-case hexadecimal HMAC-SHA1 of a body's exact bytes.
 * @param secret a string is taken as UTF-8
 */
export function signBody(secret: string | KeyObject, body: Uint8Array): string {
  return createHmac("sha1", secret).update(body).digest("hex");
}
