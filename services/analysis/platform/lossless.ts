/** More digits than a double holds for certain. */
const longInteger = /[\d.]{16}/;
const integer = /^-?\d+$/;

/** Parses JSON; whole numbers beyond 2^53 come as texts of their digits. */
export function parseLossless(text: string): unknown {
  const plain = JSON.parse(text) as unknown;
  // A reviver that sees each value makes parsing several times as slow.
  return longInteger.test(text) ? JSON.parse(text, keepDigits as Reviver) : plain;
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return context.source !== undefined && integer.test(context.source) ? context.source : value;
}
