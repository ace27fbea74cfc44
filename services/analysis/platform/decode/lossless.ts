/** More digits than a double holds for certain, or perhaps more than it can hold at all. */
const notPlain = /[\d.]{16}|\d[eE]\+?\d{2}/;
const integer = /^-?\d+$/;

/** Parses JSON; whole numbers beyond 2^53 come as texts of their digits, and numbers that no double holds as they are written. */
export function parseLossless(text: string): unknown {
  const plain = JSON.parse(text) as unknown;
  // A reviver that sees each value makes parsing several times as slow.
  return notPlain.test(text) ? JSON.parse(text, keepDigits as Reviver) : plain;
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const { source } = context;
  return source !== undefined && (integer.test(source) || !Number.isFinite(value)) ? source : value;
}
