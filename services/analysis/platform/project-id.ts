/** Where the value of a member stands in a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const blank = /[ \t\r\n]*/y;
const text = /"(?:[^"\\]|\\.)*"/y;
const literal = /[^\s,\]}]+/y;

/**
 * Gives the members `projectId` of a JSON object another value and leaves every
 * other byte as it is; a text stays a text.
 * @param body valid JSON, whose top is an object
 */
export function replaceProjectId(body: Uint8Array, projectId: number): Uint8Array {
  // Latin-1 takes every byte to a character and back, so that places are those of bytes.
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  let result = "";
  let from = 0;
  for (const { start, end } of memberRanges(source, "projectId")) {
    const value = source[start] === '"' ? `"${projectId}"` : String(projectId);
    result += source.slice(from, start) + value;
    from = end;
  }
  return Buffer.from(result + source.slice(from), "latin1");
}

/** The values of a member of the outermost object; several when it is written several times. */
function memberRanges(source: string, name: string): readonly Range[] {
  const ranges: Range[] = [];
  let at = source.startsWith("\u00ef\u00bb\u00bf") ? 3 : 0;
  at = skip(source, blank, at) + 1;
  for (;;) {
    at = skip(source, blank, at);
    if (source[at] !== '"') return ranges;
    const keyEnd = skip(source, text, at);
    const key = JSON.parse(source.slice(at, keyEnd)) as string;
    // Behind the colon.
    const start = skip(source, blank, skip(source, blank, keyEnd) + 1);
    const end = skipValue(source, start);
    if (key === name) ranges.push({ start, end });
    at = skip(source, blank, end);
    if (source[at] !== ",") return ranges;
    at++;
  }
}

function skipValue(source: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const char = source[at];
    if (char === '"') at = skip(source, text, at);
    else if (char === "{" || char === "[") {
      depth++;
      at++;
    } else if (char === "}" || char === "]") {
      depth--;
      at++;
    } else if (char === "," || char === ":") at++;
    else at = skip(source, literal, at);
    if (depth > 0) at = skip(source, blank, at);
  } while (depth > 0 && at < source.length);
  return at;
}

function skip(source: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}
