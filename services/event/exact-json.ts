/** The library of types does not know this yet: https://tc39.es/proposal-json-parse-with-source/ */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** As `JSON.stringify`, and bigints as the numbers that they are. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // It does so for bigints only: what was parsed holds no circles.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, one: unknown) =>
      typeof one === "bigint" ? rawJSON(String(one)) : one,
    );
  }
}

/**
 * As `JSON.stringify`, but numbers that are none become such as are read as beyond the range of doubles, where JSON
 * would have null: then the rules find them.
 */
export function stringifyWithNonFinite(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes("null")) return text;
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "number" && !Number.isFinite(one) ? rawJSON(one < 0 ? "-1e999" : "1e999") : one,
  );
}

type Piece = { readonly text: string } | { readonly value: unknown };

/** The same for what may be nested to any depth, since it takes no stack; several times as slow. */
export function stringifyDeepJson(value: unknown): string {
  let text = "";
  // The next piece is the last.
  const pieces: Piece[] = [{ value }];
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    if ("text" in piece) text += piece.text;
    else if (typeof piece.value !== "object" || piece.value === null) text += stringifyExactJson(piece.value);
    else if (Array.isArray(piece.value)) addList(piece.value, pieces);
    else addObject(piece.value as Readonly<Record<string, unknown>>, pieces);
  }
  return text;
}

function addList(list: readonly unknown[], pieces: Piece[]): void {
  pieces.push({ text: "]" });
  for (let i = list.length - 1; i >= 0; i--) pieces.push({ value: list[i] }, { text: i === 0 ? "[" : "," });
  if (list.length === 0) pieces.push({ text: "[" });
}

function addObject(object: Readonly<Record<string, unknown>>, pieces: Piece[]): void {
  const keys = Object.keys(object);
  pieces.push({ text: "}" });
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i]!;
    pieces.push({ value: object[key] }, { text: `${i === 0 ? "{" : ","}${JSON.stringify(key)}:` });
  }
  if (keys.length === 0) pieces.push({ text: "{" });
}
