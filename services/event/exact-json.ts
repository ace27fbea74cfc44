type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** The library of types does not know these yet: https://tc39.es/proposal-json-parse-with-source/ */
const engine = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
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

/** As `JSON.stringify`, and bigints as the numbers that they are. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // It does so for bigints only: what was parsed holds no circles.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, one: unknown) =>
      typeof one === "bigint" ? engine.rawJSON(String(one)) : one,
    );
  }
}
