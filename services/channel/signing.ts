import { createHmac, type KeyObject } from "node:crypto";

/** The header of the signature, unless a channel names another. */
export const defaultSignatureHeader = "X-SVC-OPS-Signature";

/**
 * The lower-case hexadecimal HMAC-SHA1 of a body's exact bytes.
 * @param secret a text is taken as UTF-8
 */
export function signBody(secret: string | KeyObject, body: Uint8Array): string {
  return createHmac("sha1", secret).update(body).digest("hex");
}
