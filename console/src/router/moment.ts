/** Reads a moment of the URL, in milliseconds since 1970; undefined for what is none. */
export function readMoment(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Writes a moment for the URL, in which it is the same for readers in all zones. */
export function writeMoment(ms: number | undefined): string {
  return ms === undefined ? "" : new Date(ms).toISOString();
}
