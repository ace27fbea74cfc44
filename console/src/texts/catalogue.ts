import type { en } from "./en/en.ts";

export type TextKey = keyof typeof en;
export type Catalogue = Readonly<Record<TextKey, string>>;

/** The names in braces of a text. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The arguments of a text: an object with a value for each of its names, or none. */
export type Arguments<Key extends TextKey> = [NamesIn<(typeof en)[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<NamesIn<(typeof en)[Key]>, string>>];

/** Characters that turn the direction of all text after them, also of that around a value. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g;

/** Replaces the names in braces of a text. What would turn the text around a value is shown by its code. */
export function fillIn(text: string, values: Readonly<Record<string, string>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name]?.replace(turns, codeOf) ?? whole);
}

function codeOf(character: string): string {
  return `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`;
}
