import { ValueFormat } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { PlatformConfig } from "../config.ts";

export type PercentAs = PlatformConfig["percentAs"];

/** Texts that mean no value. */
const noValue: ReadonlySet<string> = new Set(["", "-", "--", "(null)", "null", "nan"]);
const grouped = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const percent = /^(-?\d+(?:\.\d+)?) ?%$/;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Decodes a value; NaN for no value, undefined if it cannot be read. */
export function decodeValue(value: unknown, format: ValueFormat, percentAs: PercentAs): number | undefined {
  if (value === null || value === undefined) return Number.NaN;
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const text = String(value).trim();
  if (noValue.has(text.toLowerCase())) return Number.NaN;
  const share = percent.exec(text)?.[1];
  if (share !== undefined) return hundredth(share);
  const plain = grouped.test(text) ? text.replaceAll(",", "") : text;
  if (!number.test(plain)) return undefined;
  const read = format === ValueFormat.PERCENT && percentAs === "percent" ? hundredth(plain) : Number(plain);
  return Number.isFinite(read) ? read : undefined;
}

/** Divides by 100 by moving the decimal point of the text. A division would round 14.7 to 0.14699999999999999. */
function hundredth(text: string): number {
  const [mantissa, exponent = "0"] = text.toLowerCase().split("e");
  return Number(`${mantissa}e${Number(exponent) - 2}`);
}

/**
 * Returns the values of an entry, one for each label. Some deployments have them in `values`, others at some depth in
 * `stageValue`; an object has them by label. Returns undefined if none are found.
 */
export function valuesOf(
  entry: Readonly<Record<string, unknown>>,
  member: "values" | "values_compared",
  labels: readonly string[],
): readonly unknown[] | undefined {
  const direct = unwrap(entry[member], member, labels);
  if (direct !== undefined) return direct;
  const stage = entry["stageValue"];
  const isOther = member === "values_compared" && !holds(stage, member);
  return isOther ? undefined : unwrap(stage, member, labels);
}

function holds(node: unknown, member: string): boolean {
  if (typeof node !== "object" || node === null) return false;
  return member in node || Object.values(node).some((inner) => holds(inner, member));
}

function unwrap(node: unknown, member: string, labels: readonly string[]): readonly unknown[] | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  if (Array.isArray(node) && node.every(isScalar)) return node;
  const inner = Object.entries(node);
  const named = inner.find(([name]) => name === member);
  if (named !== undefined) return unwrap(named[1], member, labels);
  if (!Array.isArray(node) && inner.every(([name, value]) => labels.includes(name) && isScalar(value))) {
    return labels.map((label) => (node as Record<string, unknown>)[label]);
  }
  // With several stages it is unknown which one is meant.
  return inner.length === 1 ? unwrap(inner[0]![1], member, labels) : undefined;
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
