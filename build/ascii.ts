/**
 * Writes the characters of a program beyond ASCII as escapes. With a single one of them, V8 keeps two bytes for each
 * character of the file. The program does the same, unless `String.raw` or the `source` of an expression has such a
 * character.
 */
export function escapeToAscii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
