import { language, zone } from "../app/preferences.ts";

/** Formats of numbers, sizes and times in the chosen language. */
export function formatNumber(value: number | bigint, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(language.value, options).format(value);
}

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export function formatBytes(bytes: number | bigint): string {
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1_000 && unit < byteUnits.length - 1) {
    value /= 1_000;
    unit++;
  }
  const digits = value < 10 && unit > 0 ? 1 : 0;
  const options = { style: "unit", unit: byteUnits[unit]!, unitDisplay: "short" } as const;
  return formatNumber(value, { ...options, maximumFractionDigits: digits });
}

/** The zone of the browser. */
export const localZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Formats a moment with the name of its zone: that of the project where there is one, else the chosen one. */
export function formatTime(ms: number, timeZone: string = zone.value || localZone): string {
  const time = new Intl.DateTimeFormat(language.value, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).format(ms);
  // Some languages would put the zone between the date and the time.
  const parts = new Intl.DateTimeFormat(language.value, { timeZone, timeZoneName: "short" }).formatToParts(
    ms,
  );
  return `${time} ${parts.find(({ type }) => type === "timeZoneName")!.value}`;
}

/** Formats the time of day alone, for axes and for what happened just now. */
export function formatClock(ms: number, timeZone: string = zone.value || localZone): string {
  const options = {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
  } as const;
  return new Intl.DateTimeFormat(language.value, options).format(ms);
}

const ages = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** "3 minutes ago" */
export function formatAge(ms: number, nowMs: number): string {
  const age = nowMs - ms;
  const [unit, size] = ages.find(([, size]) => Math.abs(age) >= size) ?? ages[3];
  const value = -Math.trunc(age / size);
  return new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(value, unit);
}
