import { rawNumber, stringifyExactJson } from "../../base/json/exact-numbers.ts";
import { isShallow } from "./record/convert.ts";

/**
 * Writes JSON as `JSON.stringify` does, except that NaN and infinities become numbers beyond the range of doubles
 * instead of null, so that the rules find them.
 */
export function stringifyWithNonFinite(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes("null")) return text;
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "number" && !Number.isFinite(one) ? rawNumber(one < 0 ? "-1e999" : "1e999") : one,
  );
}

/** Nesting beyond which JSON is written without recursion, so that one record does not block later ones. */
const maxRecursionDepth = 64;

/** Writes JSON as `stringifyExactJson` does, of values nested to any depth. */
export function stringifyAnyJson(value: unknown): string {
  return isShallow(value, maxRecursionDepth) ? stringifyExactJson(value) : stringifyDeepJson(value);
}

type Piece = { readonly text: string } | { readonly value: unknown };

/**
 * Writes JSON as `stringifyExactJson` does, of values nested to any depth: it takes no stack, and several times as
 * long.
 */
export function stringifyDeepJson(value: unknown): string {
  let text = "";
  // The last piece is the next one.
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
