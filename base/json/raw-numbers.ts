import { isRawNumber, parseLongIntegers, rawNumber } from "./exact-numbers.ts";

/** Parses JSON as JSON.parse does, except that integers beyond 2^53 become RawNumbers. @throws SyntaxError */
export function parseJson(text: string): unknown {
  return parseLongIntegers(text, keepDigits);
}

/** Numbers beyond the range of doubles become Infinity, as in JSON.parse. */
function keepDigits(digits: string): unknown {
  const value = Number(digits);
  return Number.isFinite(value) ? rawNumber(digits) : value;
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
