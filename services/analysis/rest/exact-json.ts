/** A JSON number that a double can't hold: its digits as they stand in the body. */
export class BigNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** Without one of these a text has no number that a double would change. */
const maybeBig = /\d{16}|\d[eE]/;

/**
 * The value of a JSON text that is known to be valid; `parsed` is what
 * `JSON.parse` made of it. Whole numbers beyond 2^53 and numbers beyond all
 * bounds become BigNumber. Undefined when such a text is nested too deeply.
 */
export function parseExactly(text: string, parsed: unknown): unknown {
  if (!maybeBig.test(text)) return parsed;
  try {
    return parseWithSource(text, keepDigits);
  } catch (error) {
    // Unlike the parser, the walk with a function recurses.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

// The declarations of the language do not know the third argument yet: https://github.com/tc39/proposal-json-parse-with-source
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

const keepDigits: Reviver = (_key, value, { source }) => {
  if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  return new BigNumber(source ?? String(value));
};
