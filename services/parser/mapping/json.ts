/** A number kept as its digits: what JSON.rawJSON returns, printed by JSON.stringify exactly as it stood. */
export interface RawNumber {
  readonly rawJSON: string;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Standard in the engine, not yet in the compiler's library. */
const engine = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

export const rawNumber = engine.rawJSON;
export const isRawNumber = engine.isRawJSON;

/** Any integer of up to this many digits is below 2^53. */
const safeDigits = 15;
const step = 8;
const zero = 48;
const nine = 57;

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/**
 * Whether the text may hold a bare integer beyond 2^53. A run of 16 digits covers two neighbours of the positions
 * 7, 15, 23, …, so only every eighth character is looked at: 40 ns for a line of 240 bytes, a regular expression
 * takes 400. Digits in quotes (ids as text) and decimals after a point don't count.
 */
export function mayHoldLongInteger(text: string): boolean {
  let wasDigit = false;
  for (let at = step - 1; at < text.length; at += step) {
    const code = text.charCodeAt(at);
    const isNow = code <= nine && code >= zero;
    if (isNow && wasDigit) {
      let start = at;
      while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
      let end = at + 1;
      while (end < text.length && isDigit(text.charCodeAt(end))) end++;
      if (end - start > safeDigits && isBareInteger(text, start, end)) return true;
      // A long run is not looked at twice.
      while (at + step < end) at += step;
    }
    wasDigit = isNow;
  }
  return false;
}

function isBareInteger(text: string, start: number, end: number): boolean {
  if (start > 0 && !":,[- \t\r\n".includes(text[start - 1]!)) return false;
  const exact = end - start === safeDigits + 1 && text.charCodeAt(start) < nine;
  return !exact || text[end] === "." || text[end] === "e" || text[end] === "E";
}

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined
    ? engine.rawJSON(source)
    : value;

/** JSON.parse that keeps integers beyond 2^53 as RawNumber. Throws a SyntaxError as JSON.parse does. */
export function parseJson(text: string): unknown {
  return mayHoldLongInteger(text) ? engine.parse(text, keepDigits) : JSON.parse(text);
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !("rawJSON" in value && isRawNumber(value))
  );
}

/** Sets a key that comes from data: `__proto__` must become plain data, not the prototype. */
export function setKey(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
