/** More digits than an integer of 64 bits has; what is longer is beyond every type. */
const maxDigits = 40;

/**
 * A whole number as proto3 JSON writes it in a text or as a number: decimal
 * digits, with a fraction or an exponent only where the number is whole all the
 * same (`1.0`, `1e3`). Undefined for all else: other bases, spaces, a plus sign.
 */
export function readIntegerText(text: string): bigint | undefined {
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
