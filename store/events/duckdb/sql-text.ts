/** A text of our own making, such as a path, as a literal; texts of callers are bound. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
