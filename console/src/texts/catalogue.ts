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

/** Replaces the names in braces of a text. */
export function fillIn(text: string, values: Readonly<Record<string, string>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
