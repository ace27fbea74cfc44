/** A member of an object somewhere in a JSON text. */
export interface Member {
  readonly key: string;
  /** Keys of the objects around it, from the outermost; lists have none of their own. */
  readonly path: readonly string[];
  /** How many lists and objects are around it. */
  readonly depth: number;
  /** Where its value begins, and where it ends unless it is a list or an object. */
  readonly start: number;
  readonly end: number;
}

const space = /[ \t\r\n]*/y;
const literal = /[^\s,\]}]+/y;

interface Level {
  readonly isObject: boolean;
  key: string;
  isKeyNext: boolean;
}

/** All members at any depth, in their order, in one pass. @param source valid JSON */
export function* membersOf(source: string): Generator<Member> {
  const levels: Level[] = [];
  let at = source.startsWith("\u00ef\u00bb\u00bf") ? 3 : 0;
  while (at < source.length) {
    at = skip(source, space, at);
    const char = source[at];
    const level = levels.at(-1);
    if (char === "{" || char === "[") {
      levels.push({ isObject: char === "{", key: "", isKeyNext: char === "{" });
      at++;
    } else if (char === "}" || char === "]") {
      levels.pop();
      at++;
    } else if (char === "," || char === ":") {
      if (level !== undefined) level.isKeyNext = char === "," && level.isObject;
      at++;
    } else if (char === '"' && level?.isKeyNext === true) {
      const keyEnd = endOfText(source, at);
      level.key = JSON.parse(source.slice(at, keyEnd)) as string;
      level.isKeyNext = false;
      // After the colon.
      const start = skip(source, space, skip(source, space, keyEnd) + 1);
      const path = levels.slice(0, -1).flatMap(({ isObject, key }) => (isObject ? [key] : []));
      yield { key: level.key, path, depth: levels.length, start, end: endOfScalar(source, start) };
      at = start;
    } else {
      const end = endOfScalar(source, at);
      if (end === at) return;
      at = end;
    }
  }
}

/** Where a text, number or word ends; the beginning of a list or an object. */
export function endOfScalar(source: string, start: number): number {
  const char = source[start];
  if (char === "{" || char === "[") return start;
  return char === '"' ? endOfText(source, start) : skip(source, literal, start);
}

/** An expression that steps over escapes keeps a place for each of them, and runs out of room after some millions. */
function endOfText(source: string, start: number): number {
  for (let quote = source.indexOf('"', start + 1); quote !== -1; quote = source.indexOf('"', quote + 1)) {
    let backslash = quote;
    while (source[backslash - 1] === "\\") backslash--;
    if ((quote - backslash) % 2 === 0) return quote + 1;
  }
  return start;
}

function skip(source: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}
