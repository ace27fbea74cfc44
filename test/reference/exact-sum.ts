/** The double nearest to the sum of the decimal numbers that the shortest texts of doubles name. */
export function sumOf(numbers: readonly number[]): number {
  const decimals = numbers.map(decimalOf);
  const scale = Math.max(0, ...decimals.map(({ places }) => places));
  const units = decimals.reduce(
    (total, { digits, places }) => total + digits * 10n ** BigInt(scale - places),
    0n,
  );
  return Number(`${units}e-${scale}`);
}

/** A number as `digits` / 10^`places`. */
function decimalOf(number: number): { readonly digits: bigint; readonly places: number } {
  const [, sign, whole, fraction = "", exponent] = /^(-?)(\d)\.?(\d*)e(.+)$/.exec(number.toExponential())!;
  const places = fraction.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}
