/**
 * Writes the characters of a program beyond ASCII as escapes. With a single one of them, V8 keeps two bytes for each
 * character of the file. The program does the same, unless `String.raw` or the `source` of an expression has such a
 * character. Its lines stay the same, so source maps still name them; columns after an escape are larger.
 * @throws RangeError when such a character follows a backslash, as escaping it would change what it means
 */
export function escapeToAscii(code: string): string {
  const [found] = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]/.exec(code) ?? [];
  if (found !== undefined) throw new RangeError(`the character after a backslash is not ASCII: ${found}`);
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
