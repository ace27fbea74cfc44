import { isRawNumber } from "../../../base/json/exact-numbers.ts";
import { compilePath, type GetValue, type Places, type SlotTable, type Values } from "./fields.ts";

export interface Template {
  /** Fields that it reads. */
  readonly paths: readonly string[];
  /** Returns the text; undefined when a field has no value. */
  readonly render: (values: Values, places: Places) => string | undefined;
}

/** A part of a template: a text or a field. */
export type Piece = string | { readonly path: string };

/**
 * Compiles a template such as `event_{CODE}`; `{{` and `}}` are braces. Returns the message of a fault in the template.
 */
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

/** Returns a value as text: texts unchanged, numbers by their digits, lists and objects as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  return isRawNumber(value) ? value.rawJSON : JSON.stringify(value);
}

/** Splits a template into its parts. Returns the message of a fault in the template. */
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
