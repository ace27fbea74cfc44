/** Returns the moment of the value of a field for dates and times; undefined if it is none. */
export function momentOf(value: string, zone: string): number | undefined {
  const ms = value === "" ? Number.NaN : Date.parse(zone === "UTC" ? `${value}Z` : value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns the value of a field for a moment, to the second. */
export function fieldValueOf(ms: number, zone: string): string {
  const offsetMs = zone === "UTC" ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}
