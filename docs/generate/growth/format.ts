/** Formats a whole number with commas. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

const units: readonly (readonly [unit: string, ms: number])[] = [
  ["s", 1_000],
  ["ms", 1],
  ["µs", 0.001],
];

/** Formats a time with two significant digits at least, such as `0.25 ms` or `1,234 s`. */
export function formatTime(ms: number): string {
  const [unit, size] = units.find(([, size]) => ms >= size) ?? (["µs", 0.001] as const);
  const value = ms / size;
  return `${value.toLocaleString("en-US", { maximumSignificantDigits: value < 1_000 ? 2 : 4 })} ${unit}`;
}

/** Formats an exponent with two decimals; 0 has no sign. */
export function formatExponent(exponent: number): string {
  return exponent.toFixed(2).replace(/^-(0\.00)$/, "$1");
}
