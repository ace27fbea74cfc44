import { readPreference } from "../app/storage.ts";
import type { Catalogue } from "./catalogue.ts";

export const languages = ["en", "zh"] as const;

/** Each language is a file of its own, so that the others are not loaded. */
const loads: Readonly<Record<string, () => Promise<Catalogue>>> = {
  en: async () => (await import("./en/en.ts")).en,
  zh: async () => (await import("./zh/zh.ts")).zh,
};

/** Returns the language that was chosen, or the first of the browser's that there is. */
export function chosenLanguage(): string {
  const preferred = navigator.languages
    .map((one) => one.slice(0, 2))
    .find((one) => languages.includes(one as "en"));
  return readPreference("language", languages) ?? preferred ?? "en";
}

export function loadTexts(language: string): Promise<Catalogue> {
  return loads[language]!();
}
