import { Lexer } from "yaml";

/** A key that YAML has read as a comment, and its offset in the text. */
export interface LostKey {
  readonly name: string;
  readonly offset: number;
}

/**
 * Finds keys such as `#type:` in a `mapping` that were meant as keys, but begin a comment because they are not quoted.
 * They are recognized by their names and by the missing space after the `#`.
 */
export function findLostKeys(text: string, isKey: (name: string) => boolean): readonly LostKey[] {
  const found: LostKey[] = [];
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (markers.has(lexeme)) continue;
    const name = /^(#\w+)["']?\s*:(?:\s|$)/.exec(lexeme)?.[1];
    if (name !== undefined && isKey(name) && isInMapping(text, offset)) found.push({ name, offset });
    offset += lexeme.length;
  }
  return found;
}

/** The lexer's own markers: the start of a document, a scalar, and a flow collection that ends too early. */
const markers: ReadonlySet<string> = new Set(["\u0002", "\u001f", "\u0018"]);

const mappingKey = /(?:^|[\s{,])["']?mapping["']?\s*:/;

/** Indentation has no meaning within braces. */
const openFlow = /(?:^|[\s{,])["']?mapping["']?\s*:\s*\{[^}]*$/;

/** Whether the line of a comment, or the nearest line above with less indentation, opens a mapping. */
function isInMapping(text: string, offset: number): boolean {
  let start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(start, offset);
  if (mappingKey.test(before)) return true;
  const indent = before.length - before.trimStart().length;
  while (start > 0) {
    const end = start - 1;
    start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    const content = line.trimStart();
    if (content === "" || content.startsWith("#")) continue;
    // A list's dash belongs to the indentation of the key after it.
    const column = line.length - content.replace(/^(?:-\s+)+/, "").length;
    if (column < indent || openFlow.test(line)) return mappingKey.test(line);
  }
  return false;
}
