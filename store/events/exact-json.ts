type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** The library of types does not know this yet: https://tc39.es/proposal-json-parse-with-source/ */
const engine = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
};

/** A text without so many digits in a row holds no integer beyond 2^53, which a parser would round. */
const manyDigits = /\d{16}/;
const integer = /^-?\d+$/;

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && integer.test(source)
    ? BigInt(source)
    : value;

/** As `JSON.parse`, but integers beyond 2^53 are bigints. @throws SyntaxError */
export function parseExactJson(text: string): unknown {
  return manyDigits.test(text) ? engine.parse(text, keepDigits) : JSON.parse(text);
}
