/** Where the value of a member stands in a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const blank = /[ \t\r\n]*/y;
const text = /"(?:[^"\\]|\\.)*"/y;
const literal = /[^\s,\]}]+/y;

/**
 * Gives the members `projectId` of a query, and of the metrics in its `events`,
 * another value and leaves every other byte as it is; a text stays a text, null
 * stays null. A member written several times is given it each time.
 * @param body valid JSON, whose top is an object
 */
export function replaceProjectId(body: Uint8Array, projectId: number): Uint8Array {
  // Latin-1 takes every byte to a character and back, so that places are those of bytes.
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  let result = "";
  let from = 0;
  for (const { start, end } of projectIds(source)) {
    const value = source[start] === '"' ? `"${projectId}"` : String(projectId);
    result += source.slice(from, start) + value;
    from = end;
  }
  return Buffer.from(result + source.slice(from), "latin1");
}

/** Where the ids stand, in their order. */
function* projectIds(source: string): Generator<Range> {
  const top = source.startsWith("\u00ef\u00bb\u00bf") ? 3 : 0;
  for (const member of membersOf(source, top)) {
    if (isId(source, member)) yield member;
    if (member.key !== "events" || source[member.start] !== "[") continue;
    for (const event of elementsOf(source, member.start)) {
      if (source[event.start] !== "{") continue;
      for (const inner of membersOf(source, event.start)) if (isId(source, inner)) yield inner;
    }
  }
}

interface Member extends Range {
  readonly key: string;
}

function isId(source: string, { key, start }: Member): boolean {
  return key === "projectId" && source[start] !== "n";
}

/** The members of the object that begins here. */
function* membersOf(source: string, begin: number): Generator<Member> {
  let at = skip(source, blank, begin) + 1;
  for (;;) {
    at = skip(source, blank, at);
    if (source[at] !== '"') return;
    const keyEnd = skip(source, text, at);
    const key = JSON.parse(source.slice(at, keyEnd)) as string;
    // Behind the colon.
    const start = skip(source, blank, skip(source, blank, keyEnd) + 1);
    const end = skipValue(source, start);
    yield { key, start, end };
    at = skip(source, blank, end);
    if (source[at] !== ",") return;
    at++;
  }
}

/** The elements of the list that begins here. */
function* elementsOf(source: string, begin: number): Generator<Range> {
  let at = begin + 1;
  for (;;) {
    const start = skip(source, blank, at);
    if (source[start] === "]") return;
    const end = skipValue(source, start);
    yield { start, end };
    at = skip(source, blank, end);
    if (source[at] !== ",") return;
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
