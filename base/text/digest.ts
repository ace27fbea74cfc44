import { hash } from "node:crypto";

/** Returns the SHA-256 of a text in UTF-8 as 64 hexadecimal digits, the form in which keys and tokens are stored. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}
