import { createHash, createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Secret } from "../receive/signature.ts";
import { bodyVariants } from "./bodies.ts";

/** A secret and the channel it belongs to. */
export interface KnownSecret extends Secret {
  readonly channel: string;
}

export interface Mismatch {
  readonly channel: string;
  readonly body: Uint8Array;
  /** The compressed body as received, if it was compressed and is not large. */
  readonly encoded?: Uint8Array | undefined;
  /** The values of the signature headers. */
  readonly given: readonly string[];
  readonly nowMs: number;
}

/** Larger bodies are not tried in other forms. */
const maxVariedBytes = 65_536;
/** Bytes that one explanation may hash, about 20 ms of work, whatever the caller sends. */
const maxHashedBytes = 16_777_216;
const maxSecrets = 64;

const unknown = "another secret, or the body was changed in transit";
const none = `${unknown}: no other known cause fits`;
const tooLarge = `${unknown}: only the likeliest other causes were tried, since the body is large`;

/** The bytes that may still be hashed. */
interface Budget {
  bytes: number;
}

interface Given {
  readonly bytes: Buffer;
  readonly algorithm: string;
  /** Deviations from the specified form. */
  readonly notes: readonly string[];
}

const algorithms: Readonly<Record<number, string>> = { 16: "md5", 20: "sha1", 32: "sha256", 64: "sha512" };

/**
 * Explains a signature mismatch, for the log and never for the response. Tries common mistakes of senders, one at a
 * time: the form of the value, the secret, the bytes of the body. Stops when the limit of hashed bytes is reached.
 */
export function explainMismatch(mismatch: Mismatch, secrets: readonly KnownSecret[]): string {
  const { body, channel } = mismatch;
  const readings = mismatch.given.slice(0, 2).flatMap(readGiven);
  if (readings.length === 0) {
    return "the value is neither hexadecimal nor base64 of a hash: it must be 40 hexadecimal digits";
  }
  const own = secrets.filter((secret) => secret.channel === channel);
  const others = secrets.filter((secret) => secret.channel !== channel).slice(0, maxSecrets);
  const budget = { bytes: maxHashedBytes };
  // Tries the likely causes for all readings first, since the hashed bytes are limited.
  const searches = [causeInKeys, causeInEncoding, causeInVariants, causeInBody];
  for (const search of searches) {
    for (const reading of readings) {
      const cause = search({ ...mismatch, reading, own, others, budget });
      if (cause !== undefined) return [...reading.notes, ...cause].join(", ") || none;
    }
  }
  return budget.bytes < 0 || body.length > maxVariedBytes ? tooLarge : none;
}

interface Search extends Mismatch {
  readonly reading: Given;
  readonly own: readonly KnownSecret[];
  readonly others: readonly KnownSecret[];
  readonly budget: Budget;
}

/** Returns the causes; undefined if nothing matches the reading. */
function causeInKeys(search: Search): readonly string[] | undefined {
  const { reading, body, own, others, budget, nowMs } = search;
  const found = own.find(({ key }) => matches(reading, key, body, budget));
  if (found !== undefined) {
    const { expiresMs } = found;
    return expiresMs !== undefined && expiresMs <= nowMs
      ? [`signed with a secret that expired at ${new Date(expiresMs).toISOString()}`]
      : [];
  }
  const other = others.find(({ key }) => matches(reading, key, body, budget));
  if (other !== undefined) return [`signed with the secret of channel ${JSON.stringify(other.channel)}`];
  if (!spend(budget, body)) return undefined;
  const isPlainHash = createHash(reading.algorithm).update(body).digest().equals(reading.bytes);
  return isPlainHash ? ["the value is a hash of the body without a secret"] : undefined;
}

function causeInEncoding({ reading, encoded, own, budget }: Search): readonly string[] | undefined {
  if (encoded === undefined || !own.some(({ key }) => matches(reading, key, encoded, budget)))
    return undefined;
  return ["signed the compressed body: the signature must be of the body before compression"];
}

function causeInVariants({ reading, body, own, budget }: Search): readonly string[] | undefined {
  for (const { key } of own) {
    for (const [cause, variant] of keyVariants(key)) {
      if (matches(reading, variant, body, budget)) return [cause];
    }
  }
  return undefined;
}

function causeInBody({ reading, body, own, budget }: Search): readonly string[] | undefined {
  if (body.length > maxVariedBytes) return undefined;
  for (const [cause, variant] of bodyVariants(body)) {
    if (budget.bytes < 0) return undefined;
    if (own.some(({ key }) => matches(reading, key, variant, budget))) return [cause];
  }
  return undefined;
}

function spend(budget: Budget, body: Uint8Array): boolean {
  budget.bytes -= body.length;
  return budget.bytes >= 0;
}

function matches({ algorithm, bytes }: Given, key: KeyObject, body: Uint8Array, budget: Budget): boolean {
  if (!spend(budget, body)) return false;
  return createHmac(algorithm, key).update(body).digest().equals(bytes);
}

function keyVariants(key: KeyObject): readonly (readonly [cause: string, key: KeyObject])[] {
  const secret = key.export();
  const text = secret.toString("utf8");
  const variants: [string, Uint8Array][] = [
    ["signed with the secret and a newline after it", Buffer.from(`${text}\n`)],
    ["signed with the secret and CR LF after it", Buffer.from(`${text}\r\n`)],
    ["signed with the secret and a space after it", Buffer.from(`${text} `)],
    ["signed with the secret and a space before it", Buffer.from(` ${text}`)],
    ["signed with the secret in double quotes", Buffer.from(JSON.stringify(text))],
    ["signed with the secret without the spaces around it", Buffer.from(text.trim())],
    ["signed with the secret decoded from base64", Buffer.from(text, "base64")],
    ["signed with the secret decoded from hexadecimal", Buffer.from(text, "hex")],
    ["signed with the secret in UTF-16", Buffer.from(text, "utf16le")],
  ];
  return variants
    .filter(([, bytes]) => bytes.length > 0 && !secret.equals(bytes))
    .map(([cause, bytes]) => [cause, createSecretKey(bytes)]);
}

/** Returns all readings of a value: 40 hexadecimal digits are also valid base64. */
function readGiven(value: string): readonly Given[] {
  const trimmed = value.trim();
  const prefix = /^[A-Za-z0-9-]+[=:]\s*(?=.)/.exec(trimmed)?.[0] ?? "";
  const text = trimmed.slice(prefix.length).replace(/^"(.*)"$/, "$1");
  const notes = prefix === "" ? [] : [`the value has the prefix ${JSON.stringify(prefix)}`];
  const readings: Given[] = [];
  const add = (bytes: Buffer, more: readonly string[]): void => {
    const algorithm = algorithms[bytes.length];
    if (algorithm === undefined) return;
    const other = algorithm === "sha1" ? [] : [`made with ${algorithm.toUpperCase()} instead of SHA1`];
    readings.push({ bytes, algorithm, notes: [...notes, ...more, ...other] });
  };
  if (/^(?:[0-9A-Fa-f]{2})+$/.test(text)) add(Buffer.from(text, "hex"), []);
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    add(Buffer.from(text, "base64"), ["written in base64 instead of hexadecimal"]);
  }
  return readings;
}
