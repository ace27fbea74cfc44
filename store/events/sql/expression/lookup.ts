import type { ScalarType } from "../dialect.ts";
import type { ScalarValue } from "../parameters.ts";
import { nullOf, type Source } from "../source.ts";
import { asText, type Value } from "./value.ts";

/** The text that a value stands for. */
export function compileLookup(of: Value, texts: ReadonlyMap<string, string>, source: Source): string {
  const { surroundings } = source;
  const given = [...texts].filter(([, text]) => text !== "");
  const keyed = of.type.isList ? [] : keysFor(of.type.of, given);
  if (keyed.length === 0) return nullOf(surroundings.dialect, "text");
  const isText = of.type.of === "text" || of.type.of === "event";
  return source.lookup(
    isText ? asText(of, surroundings) : of.sql,
    isText ? "text" : of.type.of,
    keyed.map(([key]) => key),
    keyed.map(([, text]) => text),
  );
}

/** Keys as values of the type; those that no value of it is written as are left out. */
function keysFor(of: ScalarType, entries: readonly (readonly [key: string, text: string])[]) {
  return entries.flatMap(([key, text]): (readonly [ScalarValue, string])[] => {
    const value = keyFor(of, key);
    return value === undefined ? [] : [[value, text]];
  });
}

function keyFor(of: ScalarType, key: string): ScalarValue | undefined {
  switch (of) {
    case "number":
      return String(Number(key)) === key && Number.isFinite(Number(key)) ? Number(key) : undefined;
    case "integer":
      return String(Number(key)) === key && Number.isSafeInteger(Number(key)) ? Number(key) : undefined;
    case "boolean":
      return key === "true" || key === "false" ? key === "true" : undefined;
    default:
      return key;
  }
}
