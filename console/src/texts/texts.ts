import { language } from "../app/preferences.ts";
import { type Arguments, type Catalogue, fillIn, type TextKey } from "./catalogue.ts";
import { en } from "./en/en.ts";
import { zh } from "./zh/zh.ts";

const catalogues: Readonly<Record<string, Catalogue>> = { en, zh };

/** Returns a text in the chosen language, with its names replaced. Components that call it follow the language. */
export function t<Key extends TextKey>(key: Key, ...[values]: Arguments<Key>): string {
  const catalogue = catalogues[language.value] ?? en;
  return fillIn(catalogue[key], values);
}

/** The keys that have a form for one and one for all other numbers. */
type CountedKey = TextKey extends infer Key ? (Key extends `${infer Stem}.other` ? Stem : never) : never;

/** Returns a text about a number in the form that the language has for it. */
export function tn(
  key: CountedKey,
  count: number | bigint,
  values: Readonly<Record<string, string>> = {},
): string {
  const form = new Intl.PluralRules(language.value).select(Number(count)) === "one" ? "one" : "other";
  const catalogue = catalogues[language.value] ?? en;
  const text = new Intl.NumberFormat(language.value).format(count);
  return fillIn(catalogue[`${key}.${form}`], { ...values, count: text });
}
