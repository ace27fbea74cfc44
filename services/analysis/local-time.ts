import { parseDate, parseLocalTime } from "../../base/time/local-time.ts";
import { dayMs, secondMs } from "../../base/time/units.ts";

/** A time that a caller wrote, with its precision: a date alone is a whole day. */
export interface WrittenTime {
  /** Milliseconds since 1970 as if it were UTC. */
  readonly localMs: number;
  readonly precision: "day" | "second" | "millisecond";
}

/**
 * Reads `yyyy-MM-dd`, `yyyy-MM-dd HH:mm:ss` and `yyyy-MM-dd HH:mm:ss.SSS`. Returns
 * undefined for other forms and for days and times that do not exist.
 */
export function parseWrittenTime(text: string): WrittenTime | undefined {
  const dateMs = parseDate(text);
  if (dateMs !== undefined) return { localMs: dateMs, precision: "day" };
  const localMs = parseLocalTime(text);
  if (localMs === undefined) return undefined;
  // A leap second is the last millisecond before it.
  const isSecond = text.length === "yyyy-MM-dd HH:mm:ss".length && !text.endsWith(":60");
  return { localMs, precision: isSecond ? "second" : "millisecond" };
}

/** The first moment after what a written time names. */
export function endOfWritten({ localMs, precision }: WrittenTime): number {
  return localMs + { day: dayMs, second: secondMs, millisecond: 1 }[precision];
}
