import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { parseDecimal } from "../../../base/text/decimal.ts";
import { queryLimits } from "../describe/limits.ts";
import { maxOffsetHours, minOffsetHours } from "../describe/time/zone.ts";
import { maxSeconds } from "../time-limit.ts";
import { quote, type Reading } from "./reading.ts";

/** What a number must be, as it is told where it can't be read; others are places in lists. */
const rules: Readonly<Record<string, string>> = {
  limit: `a whole number from 1 to ${queryLimits.groups}`,
  timeout_seconds: `a whole number from 1 to ${maxSeconds}`,
  zone_offset: `a number of hours from ${minOffsetHours} to ${maxOffsetHours}`,
};

const digits = /^[+-]?\d{1,10}$/;

/** Reads a number, which may also be written as a text; its range is looked at later. */
export function numberReaderOf({ name, scalar }: Pick<DescField, "name" | "scalar">) {
  const rule = rules[name] ?? "a whole number from 0 on";
  const isWhole = scalar === ScalarType.INT32;
  return (value: unknown, at: string, _depth: number, reading: Reading): number | undefined => {
    const number = typeof value === "string" ? parseText(value, isWhole) : value;
    const isGood = typeof number === "number" && (!isWhole || number === (number | 0));
    return isGood ? number : reading.refuse(at, `${quote(value)} is not ${rule}`);
  };
}

function parseText(text: string, isWhole: boolean): number | undefined {
  if (!isWhole) return parseDecimal(text);
  return digits.test(text) ? Number(text) : undefined;
}
