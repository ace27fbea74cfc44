/** Secrets whose lengths have the same largest power of two, by a hash of their first bytes. */
interface LengthClass {
  /** The number of bytes that are hashed. */
  readonly window: number;
  /** `factor` to the power of `window`. */
  readonly leaving: number;
  /** Is 1 for the upper half of each hash, so that nearly all places are passed over without a look-up. */
  readonly halves: Uint8Array;
  readonly byHash: ReadonlyMap<number, readonly Uint8Array[]>;
}

/** Odd, as factors of a polynomial hash modulo 2^32 must be. */
const factor = 0x01_00_01_93;
const asterisk = 0x2a;

/**
 * Compiles the function that replaces each byte of a secret by an asterisk, in place. Strangers send what is searched,
 * so its time depends on the number of bytes and of lengths, and hardly on the number of secrets: it compares a secret
 * only where a rolling hash of the first bytes is the same.
 */
export function compileByteMask(secrets: readonly Uint8Array[]): (bytes: Uint8Array) => void {
  const classes = [
    ...Map.groupBy(
      secrets.filter(({ length }) => length > 0),
      ({ length }) => 2 ** Math.floor(Math.log2(length)),
    ),
  ].map(([window, ofClass]) => createClass(window, ofClass));
  return (bytes) => {
    // Found before any is replaced: secrets may overlap.
    const found = classes.flatMap((one) => findSecrets(bytes, one));
    for (const [start, end] of found) bytes.fill(asterisk, start, end);
  };
}

function createClass(window: number, secrets: readonly Uint8Array[]): LengthClass {
  const byHash = Map.groupBy(secrets, (secret) => hashOf(secret.subarray(0, window)));
  const halves = new Uint8Array(65_536);
  for (const hash of byHash.keys()) halves[hash >>> 16] = 1;
  let leaving = 1;
  for (let count = 0; count < window; count++) leaving = Math.imul(leaving, factor);
  return { window, leaving, halves, byHash };
}

function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, factor) + byte + 1) | 0;
  return hash;
}

type Range = readonly [start: number, end: number];

function findSecrets(bytes: Uint8Array, { window, leaving, halves, byHash }: LengthClass): Range[] {
  const found: Range[] = [];
  let hash = 0;
  for (let at = 0; at < bytes.length; at++) {
    hash = (Math.imul(hash, factor) + bytes[at]! + 1) | 0;
    if (at >= window) hash = (hash - Math.imul(bytes[at - window]! + 1, leaving)) | 0;
    const start = at + 1 - window;
    if (start < 0 || halves[hash >>> 16] === 0) continue;
    for (const secret of byHash.get(hash) ?? []) {
      const end = start + secret.length;
      if (Buffer.compare(bytes.subarray(start, end), secret) === 0) found.push([start, end]);
    }
  }
  return found;
}
