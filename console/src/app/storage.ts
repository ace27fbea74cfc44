/** What the browser remembers of its user: nothing that the server stores or that is secret. */
const prefix = "engage.console.";

/** Returns undefined for a value that is not valid. Storage may be turned off. */
export function readPreference(name: string, valid: readonly string[]): string | undefined {
  try {
    return valid.find((one) => one === localStorage.getItem(prefix + name));
  } catch {
    return undefined;
  }
}

export function writePreference(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // The choice holds until the page is closed.
  }
}
