import type { JsonValue } from "@bufbuild/protobuf";

/** JSON cannot hold whole numbers beyond 2^53 exactly, so they are texts. */
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
