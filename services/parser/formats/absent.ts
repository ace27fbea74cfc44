/** Sets a field of a log line, unless the log says by an empty text or a dash that there is nothing. */
export function setUnlessAbsent(fields: Record<string, unknown>, name: string, value: string): void {
  if (value !== "" && value !== "-") fields[name] = value;
}
