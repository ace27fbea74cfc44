import { isRawNumber } from "../../../base/json/exact-numbers.ts";
import { compilePath, type GetValue, type Places, type SlotTable, type Values } from "./slots.ts";

export interface Template {
  /** The fields it reads. */
  readonly paths: readonly string[];
  /** The text; undefined when a field has no value. */
  readonly render: (values: Values, places: Places) => string | undefined;
}

/** A text, or a field in its place. */
export type Piece = string | { readonly path: string };

/** Compiles `event_{CODE}`; `{{` and `}}` stand for braces. A fault in the template is returned as its message. */
export function compileTemplate(
  source: string,
  isNull: (value: unknown) => boolean,
  table: SlotTable,
): Template | string {
  const pieces = splitTemplate(source);
  if (typeof pieces === "string") return pieces;
  const paths = pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.path]));
  const parts = pieces.map((piece) => (typeof piece === "string" ? piece : compilePath(piece.path, table)));
  return { paths, render: (values, places) => render(parts, values, places, isNull) };
}

function render(
  parts: readonly (string | GetValue)[],
  values: Values,
  places: Places,
  isNull: (value: unknown) => boolean,
): string | undefined {
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const value = part(values, places);
    if (isNull(value)) return undefined;
    text += textOf(value);
  }
  return text;
}

/** A value as text: texts as they are, numbers by their digits, lists and objects as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  return isRawNumber(value) ? value.rawJSON : JSON.stringify(value);
}

/** A fault in the template is returned as its message. */
export function splitTemplate(source: string): Piece[] | string {
  if (source === "") return "empty template";
  const pieces: Piece[] = [];
  let text = "";
  for (let at = 0; at < source.length; at++) {
    const char = source[at]!;
    if ((char === "{" || char === "}") && source[at + 1] === char) {
      text += char;
      at++;
    } else if (char === "}") {
      return `"}" without "{" at position ${at + 1}, write "}}" for a brace`;
    } else if (char === "{") {
      const end = source.indexOf("}", at);
      const path = source.slice(at + 1, end);
      if (end === -1) return `"{" without "}" at position ${at + 1}, write "{{" for a brace`;
      if (path === "" || path.includes("{")) return `no field name after "{" at position ${at + 1}`;
      if (text !== "") pieces.push(text);
      text = "";
      pieces.push({ path });
      at = end;
    } else {
      text += char;
    }
  }
  if (text !== "") pieces.push(text);
  return pieces;
}
