/** Blank and below: blanks, tabs, line ends and other control characters. */
export const blank = 32;

/** The position of the first character from `from` on that is no blank; the length where there is none. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= blank) at++;
  return at;
}
