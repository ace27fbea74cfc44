const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reports whether a text is a decimal number, in linear time; false for spaces, other bases, `NaN` and infinities. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}

/**
 * Parses a finite decimal number, with spaces around it or not. Returns undefined for all other texts, such as `NaN`,
 * `1e400` and `0x10`. Negative zero becomes zero.
 */
export function parseDecimal(text: string): number | undefined {
  const trimmed = text.trim();
  const value = isDecimal(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(value) ? value + 0 : undefined;
}
