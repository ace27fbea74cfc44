const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether a text is a decimal number; false for spaces, other bases, `NaN` and infinities. Takes linear time. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}
