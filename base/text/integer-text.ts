/** More digits than a 64-bit integer has; a longer number exceeds every type. */
const maxDigits = 40;

/**
 * Reads a whole number as proto3 JSON writes it in a text or as a number: decimal digits, with a fraction or an
 * exponent only if the number is whole (`1.0`, `1e3`). Returns undefined for anything else: other bases, spaces, a plus
 * sign.
 */
export function readIntegerText(text: string): bigint | undefined {
  const number = Number(text);
  if (Number.isSafeInteger(number) && String(number) === text) return BigInt(number);
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  if (match === null || text.length > maxDigits) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const shift = Number(exponent) - fraction.length;
  const digits = `${whole}${fraction}`;
  if (/^0+$/.test(digits)) return 0n;
  if (shift > maxDigits) return undefined;
  if (shift >= 0) return BigInt(`${sign}${digits}${"0".repeat(shift)}`);
  const kept = digits.length + shift;
  if (!/^0*$/.test(digits.slice(Math.max(0, kept)))) return undefined;
  return kept <= 0 ? 0n : BigInt(`${sign}${digits.slice(0, kept)}`);
}
