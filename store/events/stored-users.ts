import { parseWithBigInts } from "../../base/json/exact-numbers.ts";
import type { ProjectSchema, Property } from "./schema.ts";

/** Returns the named properties, or all when none are named. */
export function wantedProperties(
  named: readonly Property[] | undefined,
  { properties }: ProjectSchema,
): readonly Property[] {
  return (named ?? [...properties.values()]).filter(({ table }) => table === "user");
}

/** Converts a stored value, or an element of a list, for the API: times to text, objects to objects. */
export function decodeScalar(value: unknown, type: Property["type"]): unknown {
  if (value === null) return null;
  if (type === "time") return new Date(Number(value)).toISOString().replace("T", " ").slice(0, -1);
  return type === "object" || type === "object_group" ? parseWithBigInts(value as string) : value;
}
