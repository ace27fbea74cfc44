import { parseDecimal } from "../../base/text/decimal.ts";
import { readIntegerText } from "../../base/text/integer-text.ts";
import { formatLocalTime, formatSecond, parseLocalTime } from "../../base/time/local-time.ts";
import { ValueFormat } from "../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { KeyValue } from "../../store/events/events.ts";
import { parseWrittenTime } from "./local-time.ts";

/** Texts of the platform's API. */
export const nullLabel = "(null)";
export const overallLabel = "Overall";
const missingText = "-";

/** Labels of the one group of a result without groups. */
export const overallLabels: readonly string[] = [overallLabel, "总体"];

/** The text `(null)` with any number of backslashes before it. */
const looksNull = /^\\*\(null\)$/;

/**
 * Writes a label as text; undefined stands for null. The text `(null)` becomes `\(null)`, and each further backslash
 * is kept, so that different groups have different labels.
 */
export function writeLabel(label: string | undefined): string {
  if (label === undefined) return nullLabel;
  return label.endsWith(nullLabel) && looksNull.test(label) ? `\\${label}` : label;
}

/** Reads what `writeLabel` has written; returns undefined for null. */
export function readLabel(text: string): string | undefined {
  if (text === nullLabel) return undefined;
  return text.endsWith(nullLabel) && looksNull.test(text) ? text.slice(1) : text;
}

/** `percent`: 0.1234 is `12.34%`; `fraction`: it is `0.1234`. */
export type PercentForm = "percent" | "fraction";

/**
 * Formats a number as in REST responses and CSV; NaN and infinities mean "no value". Rounds the decimal digits that
 * JavaScript writes, half away from zero.
 */
export function formatValue(
  value: number,
  format: ValueFormat,
  { percentAs }: { readonly percentAs: PercentForm },
): string {
  if (!Number.isFinite(value)) return missingText;
  switch (format) {
    case ValueFormat.INTEGER:
      return round(value, 0);
    case ValueFormat.FLOAT:
      return round(value, 2);
    case ValueFormat.FLOAT3:
      return round(value, 3);
    case ValueFormat.FLOAT4:
      return round(value, 4);
    case ValueFormat.PERCENT:
      return percentAs === "percent" ? `${trim(round(value, 2, 2))}%` : trim(round(value, 4));
    default:
      return Number.isSafeInteger(value) ? String(value + 0) : trim(round(value, 2));
  }
}

/** Rounds to `places` digits after the point; `shift` first moves the point to the right. */
function round(value: number, places: number, shift = 0): string {
  const { digits, point } = digitsOf(Math.abs(value));
  // The digits that are kept, as an integer.
  const count = point + shift + places;
  const whole = count <= 0 ? "0" : digits.slice(0, count).padEnd(count, "0");
  const roundsUp = count >= 0 && (digits[count] ?? "0") >= "5";
  const scaled = (BigInt(whole) + (roundsUp ? 1n : 0n)).toString().padStart(places + 1, "0");
  const before = scaled.slice(0, scaled.length - places);
  const text = places === 0 ? before : `${before}.${scaled.slice(scaled.length - places)}`;
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text;
}

function trim(text: string): string {
  return text.replace(/\.?0+$/, "");
}

/** Returns the shortest digits of a number and how many of them are before the point. */
function digitsOf(value: number): { readonly digits: string; readonly point: number } {
  const [, lead = "", rest = "", exponent = ""] = /^(\d)\.?(\d*)e(.*)$/.exec(value.toExponential()) ?? [];
  return { digits: lead + rest, point: Number(exponent) + 1 };
}

/** How the values of a group key are written. Boundaries of times are in local time. */
export type KeyForm =
  | { readonly kind: "text" | "number" | "boolean" | "time" }
  | { readonly kind: "intervals"; readonly of: "number" | "time"; readonly boundaries: readonly number[] };

/** Returns the label of a key's value; undefined for null. */
export function labelOf(form: KeyForm, value: KeyValue): string | undefined {
  if (value === null) return undefined;
  if (form.kind === "intervals") return intervalLabels(form)[Number(value)];
  return form.kind === "time" ? writeTime(Number(value)) : writePlain(value);
}

/** Returns the value of a label; undefined when no value of the key has this label. */
export function keyOf(form: KeyForm, label: string): KeyValue | undefined {
  switch (form.kind) {
    case "text":
      return label;
    case "number": {
      const value = parseDecimal(label);
      // The label of a large number has its shortest digits, which can be those of another integer.
      const isOwn = value !== undefined && writePlain(value) === label;
      return isOwn || !isChangedByDouble(label) ? value : undefined;
    }
    case "boolean":
      return label === "true" ? true : label === "false" ? false : undefined;
    case "time":
      return parseLocalTime(label);
    case "intervals": {
      const index = intervalLabels(form).indexOf(label);
      return index < 0 ? undefined : index;
    }
  }
}

/** `(-inf,10)`, `[10,20)`, `[20,+inf)` */
export function intervalLabels(form: KeyForm & { readonly kind: "intervals" }): readonly string[] {
  const texts = form.boundaries.map(form.of === "time" ? writeTime : writePlain);
  return Array.from({ length: texts.length + 1 }, (_, i) => {
    const from = i === 0 ? "(-inf" : `[${texts[i - 1]}`;
    return `${from},${texts[i] ?? "+inf"})`;
  });
}

/** Reports whether the double of an integer differs from the text: not every integer above 2^53 has a double. */
export function isChangedByDouble(text: string): boolean {
  const value = parseDecimal(text);
  if (value === undefined || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  const named = readIntegerText(text.replace(/^\+/, ""));
  return named !== undefined && named !== BigInt(value);
}

/**
 * Parses boundaries of intervals joined by commas, which may have spaces beside them; returns undefined when one is
 * invalid.
 */
export function parseBoundaries(text: string, of: "number" | "time"): readonly number[] | undefined {
  const parse = of === "number" ? parseDecimal : (part: string) => parseWrittenTime(part)?.localMs;
  const found = text.split(",").map((part) => parse(part.trim()));
  return found.every((boundary) => boundary !== undefined) ? found : undefined;
}

function writePlain(value: string | number | boolean): string {
  return typeof value === "number" ? String(value + 0) : String(value);
}

/** Writes milliseconds only where they are not 0. */
function writeTime(localMs: number): string {
  return localMs % 1_000 === 0 ? formatSecond(localMs) : formatLocalTime(localMs);
}
