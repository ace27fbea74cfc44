import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import { stringify } from "yaml";
import { sha256Hex } from "../../base/text/digest.ts";
import { shortName, shortNameRule } from "../../base/text/short-name.ts";
import { UserError } from "../terminal/user-error.ts";

export interface KeyOptions {
  readonly json?: boolean;
  readonly method?: readonly string[];
}

/** Prints a new random key and its entry for `auth.keys`. The key itself is not stored. */
export function createKey(
  name: string,
  options: KeyOptions,
  stdout: Writable,
  random: (bytes: number) => Buffer = randomBytes,
): void {
  if (!shortName.test(name))
    throw new UserError(`name of the key is ${JSON.stringify(name)}, ${shortNameRule}`);
  // With 256 random bits a hash without salt cannot be reversed.
  const key = `engage_${random(32).toString("base64url")}`;
  const entry = { name, sha256: sha256Hex(key), methods: options.method ?? ["*"] };
  if (options.json) {
    stdout.write(`${JSON.stringify({ ...entry, key })}\n`);
    return;
  }
  stdout.write(`key; it is shown only once. Send it as "authorization: Bearer …":\n\n  ${key}\n\n`);
  stdout.write(`add this to engage.yaml:\n\n${stringify({ auth: { keys: [entry] } }, { lineWidth: 0 })}`);
}
