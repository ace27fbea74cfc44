import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import { stringify } from "yaml";
import { hashKey } from "../../gateway/auth.ts";
import { UserError } from "../terminal/user-error.ts";

export interface KeyOptions {
  readonly json?: boolean;
  readonly method?: readonly string[];
}

/** Prints a new random key and what to put into `auth.keys` for it; the key itself is stored nowhere. */
export function createKey(
  name: string,
  options: KeyOptions,
  stdout: Writable,
  random: (bytes: number) => Buffer = randomBytes,
): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new UserError(
      `${JSON.stringify(name)} cannot name a key: give 1 to 64 letters, digits, dots, dashes or underscores`,
    );
  }
  // 256 random bits: a hash without salt cannot be turned back.
  const key = `engage_${random(32).toString("base64url")}`;
  const entry = { name, sha256: hashKey(key), methods: options.method ?? ["*"] };
  if (options.json) {
    stdout.write(`${JSON.stringify({ ...entry, key })}\n`);
    return;
  }
  stdout.write(`key, shown only now, to be sent as "authorization: Bearer …":\n\n  ${key}\n\n`);
  stdout.write(`add this to engage.yaml:\n\n${stringify({ auth: { keys: [entry] } }, { lineWidth: 0 })}`);
}
