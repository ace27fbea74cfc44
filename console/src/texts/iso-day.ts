/** Returns the day of a moment in UTC, as `yyyy-MM-dd`. */
export function isoDayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
