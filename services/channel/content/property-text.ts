/**
 * What a user's property is in a message: numbers as digits, lists and objects
 * as JSON, nothing as an empty text. Times come as `yyyy-MM-dd HH:mm:ss` from
 * whoever read them, who knows that they are times.
 */
export function propertyText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return numberText(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "" : JSON.stringify(value, exactly);
    default:
      return "";
  }
}

function exactly(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** The digits that JavaScript would write, without an exponent. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return "";
  if (Number.isSafeInteger(value)) return String(value);
  if (Number.isInteger(value)) return BigInt(value).toString();
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e-(\d+)$/.exec(String(value)) ?? [];
  // What is not whole has no positive exponent.
  return exponent === undefined
    ? String(value)
    : `${sign}0.${"0".repeat(Number(exponent) - 1)}${whole}${fraction}`;
}
