const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reports whether a text is a decimal number, in linear time; false for spaces, other bases, `NaN` and infinities. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}
