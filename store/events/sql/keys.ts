import type { GroupKey } from "../scan.ts";
import type { ScalarType } from "./dialect.ts";
import { compileExpression, compilePredicate } from "./expression/expression.ts";
import { intoSteps } from "./expression/steps.ts";
import type { Value } from "./expression/value.ts";
import type { Source } from "./source.ts";

/** A key's column: what rows select for it, and what it yields in the end. */
export interface CompiledKey {
  readonly name: string;
  readonly sql: string;
  /** `interval` is the number of one. */
  readonly of: ScalarType | "interval";
  /** Keys of the same list property's group go element by element; undefined when the key is no list. */
  readonly unnest: string | undefined;
}

export function compileKeys(keys: readonly GroupKey[], source: Source): readonly CompiledKey[] {
  return keys.map((key, index) => compileKey(key, index, source));
}

function compileKey(key: GroupKey, index: number, source: Source): CompiledKey {
  const name = `k${index}`;
  switch (key.kind) {
    case "predicate":
      return { name, sql: compilePredicate(key.of, source, true), of: "boolean", unnest: undefined };
    case "intervals": {
      const value = compileExpression(key.of, source);
      const unnest = value.type.isList && isNumeric(value.type.of) ? togetherOf(key, index) : undefined;
      return { name, sql: compileInterval(value, key.boundaries, source), of: "interval", unnest };
    }
    case "values": {
      const { sql, type } = compileExpression(key.of, source);
      return { name, sql, of: type.of, unnest: type.isList ? togetherOf(key, index) : undefined };
    }
  }
}

function togetherOf({ of }: Exclude<GroupKey, { kind: "predicate" }>, index: number): string {
  const group = of.kind === "property" ? of.property.group : undefined;
  return group === undefined ? `key ${index}` : `group ${group}`;
}

/** Of a list the interval of each element. */
function compileInterval({ sql, type }: Value, boundaries: readonly number[], source: Source): string {
  const { dialect, parameters } = source.surroundings;
  if (!isNumeric(type.of)) return dialect.cast("NULL", "count");
  const isWhole = type.of === "integer" && boundaries.every(Number.isSafeInteger);
  const texts = boundaries.map((boundary) => parameters.bind(isWhole ? "integer" : "number", boundary));
  const intervalOf = (value: string): string => {
    const compared =
      type.of === "integer" && !isWhole ? dialect.cast(value, { of: "number", isList: false }) : value;
    return `CASE WHEN ${value} IS NOT NULL THEN ${intoSteps(compared, texts, String)} END`;
  };
  return type.isList ? dialect.mapElements(sql, intervalOf) : intervalOf(sql);
}

const isNumeric = (of: ScalarType): boolean => of === "number" || of === "integer";
