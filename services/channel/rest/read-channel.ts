import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import type { Violation } from "../../../base/rpc/violation.ts";
import { quote } from "../../../base/text/quote.ts";
import { deliveryRanges } from "../channels/settings.ts";
import { isObject, pathOf, type ReadJson } from "./json-values.ts";

/**
 * Reads a channel. Settings that are not whole numbers are refused with their own ranges instead of those of an int32.
 */
export function readChannel(_desc: DescMessage, json: JsonValue, at: string): ReadJson {
  const delivery = isObject(json) ? json["delivery"] : undefined;
  if (!isObject(json) || !isObject(delivery)) return { json, violations: [] };
  const known = new Map(
    deliveryRanges.flatMap(([key, field, range]) => [
      [key as string, { field, range }],
      [field, { field, range }],
    ]),
  );
  const violations: Violation[] = [];
  const right = Object.entries(delivery).filter(([key, value]) => {
    const setting = known.get(key);
    if (setting === undefined || value === null || isWhole(value)) return true;
    const { field, range } = setting;
    const description = `is ${quote(value)}, valid are ${range.description}`;
    violations.push({ field: pathOf(pathOf(at, "delivery"), field), description });
    return false;
  });
  return { json: { ...json, delivery: Object.fromEntries(right) }, violations };
}

/** Reads a request with a channel. */
export function readChannelWithin(desc: DescMessage, json: JsonValue, at: string): ReadJson {
  if (!isObject(json) || json["channel"] === undefined) return { json, violations: [] };
  const read = readChannel(desc, json["channel"], pathOf(at, "channel"));
  return { json: { ...json, channel: read.json }, violations: read.violations };
}

/** Whether a value is a whole number of any size. Strings of digits are numbers in proto3 JSON. */
function isWhole(value: JsonValue): boolean {
  if (typeof value === "string") return /^-?\d{1,9}$/.test(value);
  return typeof value === "number" && (value | 0) === value;
}
