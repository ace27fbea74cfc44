import { effect, type Signal, signal } from "@preact/signals";
import { chosenLanguage, languages } from "../texts/languages.ts";
import { readPreference, writePreference } from "./storage.ts";

function remembered(name: string, valid: readonly string[], fallback: string): Signal<string> {
  const value = signal(readPreference(name, valid) ?? fallback);
  effect(() => writePreference(name, value.value));
  return value;
}

export const themes = ["system", "light", "dark"] as const;

export const language = remembered("language", languages, chosenLanguage());
export const theme = remembered("theme", themes, "system");
/** Empty for the zone of the browser. */
export const zone = remembered("zone", ["", "UTC"], "");

/** Keeps the language and the theme of the document as they are chosen. */
export function applyPreferences(): void {
  effect(() => {
    document.documentElement.lang = language.value === "zh" ? "zh-Hans" : "en";
  });
  effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme.value;
  });
}
