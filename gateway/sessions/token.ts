import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { sha256Hex } from "../../base/text/digest.ts";

/** What a session token contains. */
export interface Session {
  /** The key with which its owner signed in. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly endMs: number;
}

const version = "v1";
const idBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
/** The end, a double in big-endian order, is in front of the key. */
const endBytes = 8;
/** Longer tokens are not decoded. Keys of `engage key create` make tokens of 134 characters. */
const maxLength = 2_048;

/** The secrets of one key, which are derived from its stored digest. */
interface KeySecrets {
  readonly digest: string;
  readonly id: Buffer;
  readonly secret: Buffer;
}

/** Derives different secrets for different uses from a digest, so that none reveals another or the digest. */
function secretsOf(digest: string): KeySecrets {
  const derive = (use: string, bytes: number): Buffer =>
    Buffer.from(
      hkdfSync("sha256", Buffer.from(digest, "hex"), "", `engage session ${version} ${use}`, bytes),
    );
  return { digest, id: derive("id", idBytes), secret: derive("secret", 32) };
}

/**
 * Makes the token of a session: the key and the end, encrypted and authenticated (AES-256-GCM) under a secret that is
 * derived from the key's digest.
 */
export function encodeSession({ key, endMs }: Session): string {
  const { id, secret } = secretsOf(sha256Hex(key));
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce, { authTagLength: tagBytes });
  const end = Buffer.alloc(endBytes);
  end.writeDoubleBE(endMs);
  cipher.setAAD(Buffer.from(version));
  const content = [cipher.update(end), cipher.update(key, "utf8"), cipher.final()];
  return `${version}.${Buffer.concat([id, nonce, ...content, cipher.getAuthTag()]).toString("base64url")}`;
}

/** Returns the session of a token; undefined if it is not one of a configured key, or has ended. */
export type DecodeSession = (token: string, nowMs: number) => Session | undefined;

/** @param digests SHA-256 of the configured keys in lower-case hexadecimal digits */
export function createSessionDecoder(digests: readonly string[]): DecodeSession {
  let byId: ReadonlyMap<string, KeySecrets> | undefined;
  return (token, nowMs) => {
    if (!token.startsWith(`${version}.`) || token.length > maxLength) return undefined;
    const bytes = Buffer.from(token.slice(version.length + 1), "base64url");
    if (bytes.length <= idBytes + nonceBytes + endBytes + tagBytes) return undefined;
    byId ??= new Map(digests.map(secretsOf).map((secrets) => [secrets.id.toString("hex"), secrets]));
    const secrets = byId.get(bytes.subarray(0, idBytes).toString("hex"));
    const session = secrets && decrypt(bytes.subarray(idBytes), secrets);
    return session !== undefined && session.endMs > nowMs ? session : undefined;
  };
}

function decrypt(bytes: Buffer, { digest, secret }: KeySecrets): Session | undefined {
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv("aes-256-gcm", secret, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(version));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const parts = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()];
    const content = Buffer.concat(parts);
    const key = content.toString("utf8", endBytes);
    // Who knows the digest can encrypt, but cannot find a key that has it.
    return sha256Hex(key) === digest ? { key, endMs: content.readDoubleBE() } : undefined;
  } catch {
    return undefined;
  }
}
