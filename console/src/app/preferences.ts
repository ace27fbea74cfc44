import { effect, type Signal, signal } from "@preact/signals";

/** What the browser remembers of its user: nothing that the server stores or that is secret. */
const prefix = "engage.console.";

function remembered(name: string, valid: readonly string[], fallback: string): Signal<string> {
  const stored = read(name);
  const value = signal(stored !== undefined && valid.includes(stored) ? stored : fallback);
  effect(() => write(name, value.value));
  return value;
}

/** Storage may be turned off. */
function read(name: string): string | undefined {
  try {
    return localStorage.getItem(prefix + name) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // The choice holds until the page is closed.
  }
}

export const languages = ["en", "zh"] as const;
export const themes = ["system", "light", "dark"] as const;

const preferred = navigator.languages
  .map((one) => one.slice(0, 2))
  .find((one) => languages.includes(one as "en"));

export const language = remembered("language", languages, preferred ?? "en");
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
