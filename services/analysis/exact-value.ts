import type { JsonValue } from "@bufbuild/protobuf";

/** Returns a stored value as JSON. Integers beyond 2^53 become strings, since many readers of JSON would round them. */
export function toExactJson(value: unknown): JsonValue {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return BigInt(value as number | bigint).toString();
  }
  if (Array.isArray(value)) return value.map(toExactJson);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toExactJson(inner)]));
  }
  return (value ?? null) as JsonValue;
}
