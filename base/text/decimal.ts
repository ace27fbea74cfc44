const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reports whether a text is a decimal number, in linear time; false for spaces, other bases, `NaN` and infinities. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}

/**
 * Parses a finite decimal number. Returns undefined for all other texts, such as `NaN`, `1e400`, `0x10` and a number
 * with spaces around it. Negative zero becomes zero.
 */
export function parseDecimal(text: string): number | undefined {
  const value = isDecimal(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value + 0 : undefined;
}
