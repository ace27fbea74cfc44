import { effect, signal } from "@preact/signals";
import { language } from "../app/preferences.ts";
import { type Arguments, type Catalogue, fillIn, type TextKey } from "./catalogue.ts";
import { loadTexts } from "./languages.ts";

/** The texts on the screen. */
const present = signal<{ readonly language: string; readonly catalogue: Catalogue } | undefined>(undefined);

/** Loads the texts of the chosen language, now and whenever another is chosen. Resolves when the first are loaded. */
export function followLanguage(): Promise<void> {
  return new Promise((resolve) => {
    effect(() => {
      const chosen = language.value;
      void loadTexts(chosen).then(
        (catalogue) => {
          if (language.peek() === chosen) present.value = { language: chosen, catalogue };
          resolve();
        },
        () => {
          // Without a connection the texts stay as they are.
          if (present.peek() !== undefined) language.value = present.peek()!.language;
        },
      );
    });
  });
}

/** Returns a text in the chosen language, with its names replaced. Components that call it follow the language. */
export function t<Key extends TextKey>(key: Key, ...[values]: Arguments<Key>): string {
  return fillIn(textOf(key), values);
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
  const text = new Intl.NumberFormat(language.value).format(count);
  return fillIn(textOf(`${key}.${form}`), { ...values, count: text });
}

function textOf(key: TextKey): string {
  return present.value?.catalogue[key] ?? key;
}
