/**
 * Writes a value as plain text, as it appears in a message: numbers in digits, lists and objects as JSON, and an
 * empty text for null, undefined, NaN and infinities.
 */
export function plainText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return numberText(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "" : JSON.stringify(value, bigintToText);
    default:
      return "";
  }
}

function bigintToText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** Writes a number with the digits that JavaScript writes, but without an exponent. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return "";
  if (Number.isSafeInteger(value)) return String(value);
  if (Number.isInteger(value)) return BigInt(value).toString();
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e-(\d+)$/.exec(String(value)) ?? [];
  // A number with a fraction never has a positive exponent.
  return exponent === undefined
    ? String(value)
    : `${sign}0.${"0".repeat(Number(exponent) - 1)}${whole}${fraction}`;
}
