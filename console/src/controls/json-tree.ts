/** A JSON value as it was written: members in their order, numbers with all their digits, repeated keys repeated. */
export type JsonTree =
  | { readonly kind: "object"; readonly members: readonly (readonly [name: string, value: JsonTree])[] }
  | { readonly kind: "array"; readonly elements: readonly JsonTree[] }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "word"; readonly text: string };

/** Deeper values are shown as text, since no reader follows them and a browser's stack ends. */
const maxDepth = 100;

const token = /[\s]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null))/y;

interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads a JSON text; returns undefined for what is none, which is shown as it is. */
export function readJsonTree(text: string): JsonTree | undefined {
  // The browser's own parser decides what is valid; the reading below only keeps what that one loses.
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return readValue({ text, at: 0 }, 0);
}

function nextToken(cursor: Cursor): string {
  token.lastIndex = cursor.at;
  const match = token.exec(cursor.text);
  cursor.at = token.lastIndex;
  return match?.slice(1).find((part) => part !== undefined) ?? "";
}

function readValue(cursor: Cursor, depth: number): JsonTree | undefined {
  const start = nextToken(cursor);
  if (start === "{") return readMembers(cursor, depth);
  if (start === "[") return readElements(cursor, depth);
  if (start.startsWith('"')) return { kind: "string", text: JSON.parse(start) as string };
  return /^[tfn]/.test(start) ? { kind: "word", text: start } : { kind: "number", text: start };
}

function readMembers(cursor: Cursor, depth: number): JsonTree | undefined {
  const members: (readonly [string, JsonTree])[] = [];
  if (depth >= maxDepth) return undefined;
  for (let name = nextToken(cursor); name !== "}"; name = nextToken(cursor)) {
    if (name === ",") continue;
    nextToken(cursor);
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    members.push([JSON.parse(name) as string, value]);
  }
  return { kind: "object", members };
}

function readElements(cursor: Cursor, depth: number): JsonTree | undefined {
  const elements: JsonTree[] = [];
  if (depth >= maxDepth) return undefined;
  for (;;) {
    const before = cursor.at;
    const start = nextToken(cursor);
    if (start === "]") return { kind: "array", elements };
    if (start === ",") continue;
    cursor.at = before;
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    elements.push(value);
  }
}
