/** Formats a whole number with commas. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

const units: readonly (readonly [unit: string, ms: number])[] = [
  ["s", 1_000],
  ["ms", 1],
  ["µs", 0.001],
];

/** Formats a time with two significant digits, such as `250 µs` or `1.5 s`, and from 1,000 s on with four. */
export function formatTime(ms: number): string {
  const rounded = Number(ms.toPrecision(ms < 1_000_000 ? 2 : 4));
  const [unit, size] = units.find(([, size]) => rounded >= size) ?? (["µs", 0.001] as const);
  return `${(rounded / size).toLocaleString("en-US", { maximumSignificantDigits: 4 })} ${unit}`;
}

/** Formats an exponent with two decimals; 0 has no sign. */
export function formatExponent(exponent: number): string {
  return exponent.toFixed(2).replace(/^-(0\.00)$/, "$1");
}
